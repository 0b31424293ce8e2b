//! The characters of a `str`, where they lie.
//!
//! The stable interface of Python has one way to the text of a `str`: as UTF-8, which Python makes of every one that is not ASCII,
//! character by character, and keeps with it. To make it here takes a tenth of the time and leaves nothing behind. Where the
//! characters are (PEP 393) is no part of the stable interface, so it is believed only of versions that are known, and
//! only where some strings whose characters are known turn out to have them there; any other Python is asked for UTF-8.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::processor::{self, Characters};

/// Where things are in a `str`, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layout {
    ascii_start: usize,
    other_start: usize,
    /// A pointer to its UTF-8, where somebody has asked for that, and before it the length.
    utf8: usize,
}

const LENGTH: usize = 16;
const STATE: usize = 32;
/// Bits of the state: characters come right behind the header; they are ASCII.
const IS_COMPACT: u32 = 1 << 5;
const IS_ASCII: u32 = 1 << 6;

/// What a `str` holds.
pub enum Content<'a> {
    /// UTF-8 as it is.
    Text(&'a str),
    Characters(Characters<'a>),
}

/// What a `str` holds; None where this Python does not say, or where the string is of an unusual kind.
#[inline]
pub fn content<'a>(string: &'a Bound<'_, PyString>) -> Option<Content<'a>> {
    let layout = layout(string.py())?;
    // SAFETY: the layout has been found to be that of this Python's strings, and a string does not change.
    unsafe { content_at(string.as_ptr().cast(), layout) }
}

/// Strings that other threads read while the one that holds the interpreter waits for them.
#[derive(Clone, Copy)]
pub struct Shared<'a> {
    strings: &'a [Bound<'a, PyString>],
    layout: Option<Layout>,
}

// SAFETY: threads only read what the strings hold, which does not change: who could ask for their UTF-8 needs the interpreter, and
// that is held by the thread that made this and waits. No reference is taken or given back.
unsafe impl Sync for Shared<'_> {}
// SAFETY: as above.
unsafe impl Send for Shared<'_> {}

impl<'a> Shared<'a> {
    pub fn new(strings: &'a [Bound<'_, PyString>], py: Python<'_>) -> Self {
        Shared { strings, layout: layout(py) }
    }

    /// What a string holds; None where only Python can say.
    #[inline]
    pub fn content(self, row: usize) -> Option<Content<'a>> {
        let (string, layout) = (&self.strings[row], self.layout?);
        // SAFETY: the layout has been found to be that of this Python's strings.
        if string.is_exact_instance_of::<PyString>() {
            unsafe { content_at(string.as_ptr().cast(), layout) }
        } else {
            None
        }
    }
}

#[inline]
fn layout(py: Python<'_>) -> Option<Layout> {
    static LAYOUT: OnceLock<Option<Layout>> = OnceLock::new();
    *LAYOUT.get_or_init(|| find_layout(py))
}

fn find_layout(py: Python<'_>) -> Option<Layout> {
    if cfg!(not(all(target_pointer_width = "64", target_endian = "little"))) {
        return None;
    }
    let version = py.version_info();
    let layout = match (version.major, version.minor) {
        (3, 11) => Layout { ascii_start: 48, other_start: 72, utf8: 56 },
        (3, 12..=14) => Layout { ascii_start: 40, other_start: 56, utf8: 48 },
        _ => return None,
    };
    is_confirmed(py, layout).then_some(layout)
}

/// Whether strings whose characters are known have them where the layout says.
fn is_confirmed(py: Python<'_>, layout: Layout) -> bool {
    // Long enough that nothing is read beyond their ends, whatever the layout.
    let texts = ["ascii ", "latin é", "two bytes 日本", "four bytes 😀"].map(|text| text.repeat(30));
    texts.iter().all(|text| {
        let string = PyString::new(py, text);
        // SAFETY: strings of a hundred characters and more are longer than all that is read of them here.
        let read = |string: &Bound<'_, PyString>| unsafe {
            let start = string.as_ptr().cast::<u8>();
            let length = start.add(LENGTH).cast::<usize>().read();
            let is_right = length == text.chars().count() && state(start) & IS_COMPACT != 0;
            if is_right { content_at(start, layout).is_some_and(|found| is_same(&found, text)) } else { false }
        };
        // Once as it is, and once with its UTF-8.
        read(&string) && string.to_str().is_ok_and(|utf8| utf8 == text) && read(&string)
    })
}

fn is_same(content: &Content, text: &str) -> bool {
    match content {
        Content::Text(found) => *found == text,
        Content::Characters(characters) => {
            let mut found = String::new();
            characters.push_to(&mut found);
            found == text
        }
    }
}

/// # Safety
/// The string is one of a Python whose strings have this layout, and lives for as long as what comes back.
#[inline]
unsafe fn content_at<'a>(start: *const u8, layout: Layout) -> Option<Content<'a>> {
    // SAFETY: as the caller says. Characters of two and four bytes are aligned: objects lie at multiples of 16.
    unsafe {
        let state = state(start);
        let length = start.add(LENGTH).cast::<usize>().read();
        if state & (IS_COMPACT | IS_ASCII) == IS_COMPACT | IS_ASCII {
            let bytes = std::slice::from_raw_parts(start.add(layout.ascii_start), length);
            return Some(Content::Text(str::from_utf8_unchecked(bytes)));
        }
        if state & IS_COMPACT == 0 {
            return None;
        }
        let utf8 = start.add(layout.utf8).cast::<*const u8>().read();
        if !utf8.is_null() {
            let length = start.add(layout.utf8 - size_of::<usize>()).cast::<usize>().read();
            return Some(Content::Text(str::from_utf8_unchecked(std::slice::from_raw_parts(utf8, length))));
        }
        let data = start.add(layout.other_start);
        Some(Content::Characters(match state >> 2 & 7 {
            1 => Characters::One(std::slice::from_raw_parts(data, length)),
            2 => Characters::Two(std::slice::from_raw_parts(data.cast(), length)),
            4 => Characters::Four(std::slice::from_raw_parts(data.cast(), length)),
            _ => return None,
        }))
    }
}

/// # Safety
/// There is a string.
#[inline(always)]
unsafe fn state(start: *const u8) -> u32 {
    // SAFETY: as the caller says.
    unsafe { start.add(STATE).cast::<u32>().read() }
}

/// How many objects ahead memory is asked for: each lies somewhere else, and would be waited for.
const AHEAD: usize = 16;

/// The items of a list, for as many as it has now. The memory of those to come is asked for.
pub fn items<'a, 'py>(list: &'a Bound<'py, PyList>) -> impl Iterator<Item = Bound<'py, PyAny>> + 'a {
    let n = list.len();
    (0..n).map_while(move |row| {
        if row + AHEAD < n {
            expect(item(list, row + AHEAD)?);
        }
        // SAFETY: an object that the list holds, of which a reference is taken before anything else is run.
        Some(unsafe { Bound::from_borrowed_ptr(list.py(), item(list, row)?) })
    })
}

/// Where an item of a list is; None where the list has become shorter.
#[inline(always)]
fn item(list: &Bound<'_, PyList>, row: usize) -> Option<*mut ffi::PyObject> {
    // SAFETY: the interpreter is held. A row that is not there gives null, and an error, which is taken away.
    unsafe {
        let item = ffi::PyList_GetItem(list.as_ptr(), row as ffi::Py_ssize_t);
        if item.is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        Some(item)
    }
}

/// Asks for the memory of an object's header, and of what comes behind it: the first characters of a string.
#[inline(always)]
fn expect(object: *const ffi::PyObject) {
    const LINE: usize = 64;
    processor::prefetch_at(object);
    processor::prefetch_at(object.wrapping_byte_add(LINE));
}
