//! Labels as Python gives them. A list of them repeats a few labels, so each is looked at once.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyString};

use super::array::Array;
use super::strings::{self, Content};

/// Labels that were met, with what is known of each. They are kept alive, so no other object comes to their places in memory.
struct Met<'py, T> {
    objects: Vec<Option<(Bound<'py, PyAny>, T)>>,
    /// Strings by their text: those of a file are an object for each row.
    strings: Vec<Option<(Bound<'py, PyAny>, T)>>,
}

impl<'py, T: Copy> Met<'py, T> {
    const ROOM: usize = 256;

    fn new() -> Self {
        let room = || (0..Self::ROOM).map(|_| None).collect();
        Met { objects: room(), strings: room() }
    }

    /// What is known of a label; `find` finds it out.
    fn get(&mut self, label: Bound<'py, PyAny>, find: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>) -> PyResult<T> {
        // Objects lie at multiples of 16 bytes.
        let by_place = &mut self.objects[label.as_ptr() as usize / 16 % Self::ROOM];
        if let Some((met, known)) = by_place
            && met.is(&label)
        {
            return Ok(*known);
        }
        let by_text = text(&label).map(|text| (&mut self.strings[number(text) % Self::ROOM], text));
        if let Some((Some((met, known)), text)) = &by_text
            && self::text(met) == Some(text)
        {
            return Ok(*known);
        }
        let known = find(&label)?;
        if let Some((place, _)) = by_text {
            *place = Some((label.clone(), known));
        }
        *by_place = Some((label, known));
        Ok(known)
    }
}

/// A number for a text, other than that of most other texts.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).map_or(0, |byte| usize::from(*byte));
    let places = [0, bytes.len() / 2, bytes.len().saturating_sub(2), bytes.len().saturating_sub(1)];
    places.iter().fold(bytes.len(), |number, &at| number.wrapping_mul(31) + byte(at))
}

/// The text of a `str` of ASCII.
fn text<'a>(label: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    match strings::content(label.cast_exact::<PyString>().ok()?)? {
        Content::Text(text) => Some(text),
        Content::Characters(_) => None,
    }
}

/// The types of some objects.
#[pyfunction]
pub fn types<'py>(values: &Bound<'py, PyList>) -> PyResult<Bound<'py, PySet>> {
    let types = PySet::empty(values.py())?;
    let mut last = None;
    for value in strings::items(values) {
        let kind = value.get_type_ptr();
        if last != Some(kind) {
            types.add(value.get_type())?;
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
    for label in strings::items(labels) {
        met.get(label, |label| distinct.add(label))?;
    }
    Ok(distinct)
}

/// The different ones of some labels, where each is a `str` and of no class derived from it; else None.
#[pyfunction]
pub fn distinct_strings<'py>(labels: &Bound<'py, PyList>) -> PyResult<Option<Bound<'py, PySet>>> {
    let distinct = PySet::empty(labels.py())?;
    let mut met = Met::new();
    for label in strings::items(labels) {
        if !label.is_exact_instance_of::<PyString>() {
            return Ok(None);
        }
        met.get(label, |label| distinct.add(label))?;
    }
    Ok(Some(distinct))
}

/// The numbers of labels by a dictionary; None where it lacks one.
#[pyfunction]
pub fn numbers(labels: &Bound<'_, PyList>, known: &Bound<'_, PyDict>) -> PyResult<Option<Array>> {
    let mut met = Met::new();
    let number = |label| met.get(label, |label| known.get_item(label)?.map(|number| number.extract()).transpose());
    let numbers: Option<Vec<u32>> = strings::items(labels).map(number).collect::<PyResult<_>>()?;
    Ok(numbers.map(Array::flat))
}
