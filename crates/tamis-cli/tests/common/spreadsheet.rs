//! Excel workbooks, made by hand.
#![allow(dead_code)]

/// A workbook with these sheets, each a list of rows of cells as XML.
pub fn workbook(sheets: &[(&str, String)]) -> Vec<u8> {
    stored(&parts(sheets))
}

/// The parts of a workbook: their names and their XML.
pub fn parts(sheets: &[(&str, String)]) -> Vec<(String, String)> {
    let mut members: Vec<(String, String)> = vec![];
    let kind = "application/vnd.openxmlformats-officedocument.spreadsheetml";
    let mut types = String::from(
        r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>"#,
    );
    types.push_str(&format!(r#"<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>"#));
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let (mut list, mut relations) = (String::new(), String::new());
    for (at, (name, rows)) in sheets.iter().enumerate() {
        let id = at + 1;
        types.push_str(&format!(
            r#"<Override PartName="/xl/worksheets/sheet{id}.xml" ContentType="{kind}.worksheet+xml"/>"#
        ));
        list.push_str(&format!(r#"<sheet name="{name}" sheetId="{id}" r:id="r{id}"/>"#));
        relations.push_str(&format!(
            r#"<Relationship Id="r{id}" Type="{office}/worksheet" Target="worksheets/sheet{id}.xml"/>"#
        ));
        let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
        members
            .push((format!("xl/worksheets/sheet{id}.xml"), format!(r#"<worksheet xmlns="{main}">{rows}</worksheet>"#)));
    }
    types.push_str("</Types>");
    members.push(("[Content_Types].xml".into(), types));
    members.push((
        "_rels/.rels".into(),
        format!(r#"<Relationships xmlns="{package}"><Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#),
    ));
    members.push((
        "xl/workbook.xml".into(),
        format!(r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{office}"><sheets>{list}</sheets></workbook>"#),
    ));
    members.push((
        "xl/_rels/workbook.xml.rels".into(),
        format!(r#"<Relationships xmlns="{package}">{relations}</Relationships>"#),
    ));
    members
}

/// A zip archive of members that are not compressed.
pub fn stored(members: &[(String, String)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (vec![], vec![]);
    for (name, text) in members {
        let mut crc = flate2::Crc::new();
        crc.update(text.as_bytes());
        let at = bytes.len() as u32;
        let mut facts = vec![];
        for number in [0_u16, 0, 0, 0] {
            facts.extend(number.to_le_bytes());
        }
        for number in [crc.sum(), text.len() as u32, text.len() as u32] {
            facts.extend(number.to_le_bytes());
        }
        facts.extend((name.len() as u16).to_le_bytes());
        facts.extend(0_u16.to_le_bytes());
        bytes.extend(b"PK\x03\x04\x14\x00");
        bytes.extend(&facts);
        bytes.extend(name.as_bytes());
        bytes.extend(text.as_bytes());
        directory.extend(b"PK\x01\x02\x14\x00\x14\x00");
        directory.extend(&facts);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, size, count) = (bytes.len() as u32, directory.len() as u32, members.len() as u16);
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\x00\x00\x00\x00");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

/// The rows of a CSV text as cells of a sheet.
pub fn sheet(text: &str) -> String {
    let mut rows = String::from("<sheetData>");
    for (r, line) in text.lines().enumerate() {
        rows.push_str(&format!(r#"<row r="{}">"#, r + 1));
        for cell in line.split(',') {
            match cell.parse::<f64>() {
                Ok(_) => rows.push_str(&format!("<c><v>{cell}</v></c>")),
                Err(_) => rows.push_str(&format!(r#"<c t="inlineStr"><is><t>{cell}</t></is></c>"#)),
            }
        }
        rows.push_str("</row>");
    }
    rows + "</sheetData>"
}
