//! Sparse matrices in scipy's archives (`scipy.sparse.save_npz`).

use super::SparseMatrix;
use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::table::read::npy::{Array, array_of_member};
use crate::table::read::zip::Archive;
use crate::table::{ExpansionLimit, Input, ReadOptions};
use std::io::Read;
use std::path::Path;

/// Whether an archive holds a sparse matrix.
pub(super) fn is_sparse(path: &Path) -> bool {
    let bytes = Input::open(path).and_then(|input| input.bytes(ExpansionLimit::default()));
    let archive = bytes.ok().and_then(|bytes| Archive::new(bytes).ok());
    archive.is_some_and(|archive| archive.names().any(|name| name == "indptr.npy"))
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
    let shape = array("shape")?;
    let (indices, starts, values) = (array("indices")?, array("indptr")?, array("data")?);
    let [n_rows, n_columns] = shape[..] else { return refuse("its shape has not two sizes") };
    let by_rows = starts.len() == n_rows as usize + 1 && !(by_columns(&archive, options) && n_rows == n_columns);
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

/// Whether the archive says that entries lie by columns.
fn by_columns(archive: &Archive, options: &ReadOptions) -> bool {
    let mut bytes = vec![];
    let read =
        archive.open("format.npy", options.expansion).and_then(|mut content| content.read_to_end(&mut bytes).ok());
    read.is_some() && bytes.windows(3).any(|part| part == b"csc")
}
