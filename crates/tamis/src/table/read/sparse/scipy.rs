//! Sparse matrices in scipy's archives (`scipy.sparse.save_npz`).

use super::SparseMatrix;
use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::table::read::npy::{Array, array_of_member};
use crate::table::read::zip::Archive;
use crate::table::{ExpansionLimit, Input, ReadOptions};
use std::io::Read;
use std::path::Path;

/// Whether an archive holds a sparse matrix, in any of scipy's layouts.
pub(super) fn is_sparse(path: &Path) -> bool {
    let bytes = Input::open(path).and_then(|input| input.bytes(ExpansionLimit::default()));
    let archive = bytes.ok().and_then(|bytes| Archive::new(bytes).ok());
    let is_member = |archive: &Archive, wanted: &str| archive.names().any(|name| name == wanted);
    archive.is_some_and(|archive| {
        is_member(&archive, "indptr.npy") || (is_member(&archive, "format.npy") && is_member(&archive, "shape.npy"))
    })
}

/// Reads a matrix by rows or by columns.
pub(super) fn read(input: Input, options: &ReadOptions) -> Result<SparseMatrix> {
    let name = input.name().to_string();
    let bytes = input.bytes(options.expansion)?;
    let file_bytes = bytes.len() as u64;
    let archive = Archive::new(bytes).map_err(|reason| Error::read(&name, reason))?;
    fn refusal(problem: &str, name: &str) -> Error {
        Error::data(Place::file(name), problem, "save it with `scipy.sparse.save_npz`")
    }
    let refuse = |problem: &str| Err(refusal(problem, &name));
    let array = |key: &str| -> Result<Vec<f64>> {
        let Some(content) = archive.open(&format!("{key}.npy"), options.expansion) else {
            return Err(refusal(&format!("there is no array `{key}`"), &name));
        };
        match array_of_member(content, &format!("`{key}`"), &Place::file(&name))? {
            Array::Numbers { columns, .. } => Ok(columns.concat()),
            Array::Texts(_) => Err(refusal(&format!("the array `{key}` holds text"), &name)),
        }
    };
    let layout = layout(&archive, options);
    if !["", "csr", "csc"].contains(&layout.as_str()) {
        let problem = format!("it holds a sparse matrix in the layout `{layout}`, which is not read");
        let remedy = "save it by rows: `scipy.sparse.save_npz(FILE, matrix.tocsr())`";
        return Err(Error::data(Place::file(&name), problem, remedy));
    }
    let shape = array("shape")?;
    let (indices, starts, values) = (array("indices")?, array("indptr")?, array("data")?);
    let [n_rows, n_columns] = shape[..] else { return refuse("its shape has not two sizes") };
    let by_rows = starts.len() == n_rows as usize + 1 && !(layout == "csc" && n_rows == n_columns);
    let (outer, inner) = if by_rows { (n_rows, n_columns) } else { (n_columns, n_rows) };
    let ordered = starts.windows(2).all(|pair| pair[0] <= pair[1]) && starts.first() == Some(&0.0);
    let fits = starts.len() == outer as usize + 1
        && ordered
        && starts.last() == Some(&(values.len() as f64))
        && indices.len() == values.len()
        && indices.iter().all(|i| *i >= 0.0 && *i < inner);
    if !fits || n_rows > f64::from(u32::MAX) || n_columns > f64::from(u32::MAX) {
        return refuse("its arrays do not fit together");
    }
    let mut outers = Vec::with_capacity(values.len());
    for (at, pair) in starts.windows(2).enumerate() {
        outers.extend(std::iter::repeat_n(at as u32, (pair[1] - pair[0]) as usize));
    }
    let inners: Vec<u32> = indices.iter().map(|i| *i as u32).collect();
    let (rows, columns) = if by_rows { (outers, inners) } else { (inners, outers) };
    Ok(SparseMatrix {
        n_rows: n_rows as usize,
        n_columns: n_columns as usize,
        rows,
        columns,
        values,
        row_names: None,
        column_names: None,
        features_are_rows: false,
        notes: vec![],
        file_bytes,
    })
}

/// The name of the layout, as the archive has it; empty where it has none.
fn layout(archive: &Archive, options: &ReadOptions) -> String {
    let mut bytes = vec![];
    let read =
        archive.open("format.npy", options.expansion).and_then(|mut content| content.read_to_end(&mut bytes).ok());
    bytes.retain(|byte| *byte != 0); // text of NumPy may have four bytes for a letter
    let known = ["csr", "csc", "coo", "dia", "bsr", "lil", "dok"];
    let is = |name: &&&str| bytes.windows(name.len()).any(|part| part == name.as_bytes());
    read.and_then(|_| known.iter().find(is)).map_or_else(String::new, |name| (*name).into())
}
