//! Labels as Python gives them. A list of them repeats a few objects, so each object is looked at once.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet};

use super::array::Array;

/// Objects that were met, with what is known of each. They are kept alive, so no other object comes to their places in memory.
struct Met<'py, T> {
    objects: Vec<Option<(Bound<'py, PyAny>, T)>>,
}

impl<'py, T: Copy> Met<'py, T> {
    const ROOM: usize = 256;

    fn new() -> Self {
        Met { objects: (0..Self::ROOM).map(|_| None).collect() }
    }

    /// What is known of an object; `find` finds it out.
    fn get(&mut self, object: Bound<'py, PyAny>, find: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>) -> PyResult<T> {
        // Objects lie at multiples of 16 bytes.
        let place = &mut self.objects[object.as_ptr() as usize / 16 % Self::ROOM];
        match place {
            Some((met, known)) if met.is(&object) => Ok(*known),
            _ => {
                let known = find(&object)?;
                *place = Some((object, known));
                Ok(known)
            }
        }
    }
}

/// The types of some objects.
#[pyfunction]
pub fn types<'py>(values: &Bound<'py, PyList>) -> PyResult<Bound<'py, PySet>> {
    let types = PySet::empty(values.py())?;
    let mut last = None;
    for value in values.iter() {
        let kind = value.get_type();
        if !last.as_ref().is_some_and(|last| kind.is(last)) {
            types.add(&kind)?;
            last = Some(kind);
        }
    }
    Ok(types)
}

/// The different ones of some labels.
#[pyfunction]
pub fn distinct<'py>(labels: &Bound<'py, PyList>) -> PyResult<Bound<'py, PySet>> {
    let distinct = PySet::empty(labels.py())?;
    let mut met = Met::new();
    for label in labels.iter() {
        met.get(label, |label| distinct.add(label))?;
    }
    Ok(distinct)
}

/// The numbers of labels by a dictionary; None where it lacks one.
#[pyfunction]
pub fn numbers(labels: &Bound<'_, PyList>, known: &Bound<'_, PyDict>) -> PyResult<Option<Array>> {
    let mut met = Met::new();
    let number = |label| met.get(label, |label| known.get_item(label)?.map(|number| number.extract()).transpose());
    let numbers: Option<Vec<u32>> = labels.iter().map(number).collect::<PyResult<_>>()?;
    Ok(numbers.map(Array::flat))
}
