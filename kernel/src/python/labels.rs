//! Labels as Python gives them. A list of them repeats a few labels, so each is looked at once.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString};

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

/// The different ones of some labels, in the order in which they come, and the number of each label among these; None where the
/// labels are not all of type `str`, or all `int`, or all `bool`.
#[pyfunction]
pub fn looked_at<'py>(labels: &Bound<'py, PyList>) -> PyResult<Option<(Bound<'py, PyList>, Array)>> {
    let py = labels.py();
    let (different, known) = (PyList::empty(py), PyDict::new(py));
    let (mut met, mut numbers, mut kind) = (Met::new(), Vec::with_capacity(labels.len()), None);
    for label in strings::items(labels) {
        if kind != Some(label.get_type_ptr()) {
            let is_plain = label.is_exact_instance_of::<PyString>()
                || label.is_exact_instance_of::<PyInt>()
                || label.is_exact_instance_of::<PyBool>();
            if !is_plain || kind.is_some() {
                return Ok(None);
            }
            kind = Some(label.get_type_ptr());
        }
        numbers.push(met.get(label, |label| {
            if let Some(number) = known.get_item(label)? {
                return number.extract();
            }
            let number = different.len() as u32;
            different.append(label)?;
            known.set_item(label, number)?;
            Ok(number)
        })?);
    }
    Ok(Some((different, Array::flat(numbers))))
}

/// Other numbers for numbers: `table[0]` for each 0, and so on.
#[pyfunction]
pub fn renumbered(py: Python<'_>, numbers: PyBuffer<u32>, table: Vec<u32>) -> PyResult<Array> {
    let numbers = numbers.to_vec(py)?;
    let number = |number: u32| table.get(number as usize).copied();
    let new: Option<Vec<u32>> = numbers.into_iter().map(number).collect();
    new.map(Array::flat).ok_or_else(|| PyIndexError::new_err(format!("there are {} numbers in the table", table.len())))
}

/// The numbers of labels by a dictionary; None where it lacks one.
#[pyfunction]
pub fn numbers(labels: &Bound<'_, PyList>, known: &Bound<'_, PyDict>) -> PyResult<Option<Array>> {
    let mut met = Met::new();
    let number = |label| met.get(label, |label| known.get_item(label)?.map(|number| number.extract()).transpose());
    let numbers: Option<Vec<u32>> = strings::items(labels).map(number).collect::<PyResult<_>>()?;
    Ok(numbers.map(Array::flat))
}
