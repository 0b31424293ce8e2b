//! Typed arrays for Python: the elements of a `Vec`, given away by the buffer protocol and never copied.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PyTuple};

/// Dimensions that an array can have.
const MOST_DIMENSIONS: usize = 3;

/// Numbers of one type, in rows: `memoryview` and `numpy.asarray` know their type and their shape.
#[pyclass(frozen, module = "banbury._kernel")]
pub struct Array {
    elements: Elements,
    n_dimensions: usize,
    /// The first `n_dimensions` of these are the shape, and the bytes between neighbours along each dimension.
    shape: [isize; MOST_DIMENSIONS],
    strides: [isize; MOST_DIMENSIONS],
}

pub enum Elements {
    Bytes(Vec<u8>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

macro_rules! elements_from {
    ($($type:ty => $variant:ident),*) => {
        $(impl From<Vec<$type>> for Elements {
            fn from(elements: Vec<$type>) -> Self {
                Elements::$variant(elements)
            }
        })*
    };
}

elements_from!(u8 => Bytes, u32 => U32, u64 => U64, i64 => I64, f32 => F32, f64 => F64);

impl Elements {
    fn bytes(&self) -> &[u8] {
        match self {
            Elements::Bytes(elements) => elements,
            Elements::U32(elements) => bytemuck::cast_slice(elements),
            Elements::U64(elements) => bytemuck::cast_slice(elements),
            Elements::I64(elements) => bytemuck::cast_slice(elements),
            Elements::F32(elements) => bytemuck::cast_slice(elements),
            Elements::F64(elements) => bytemuck::cast_slice(elements),
        }
    }

    /// How the `struct` module of Python calls the type, and the bytes of one element.
    fn format(&self) -> (&'static CStr, usize) {
        match self {
            Elements::Bytes(_) => (c"B", 1),
            Elements::U32(_) => (c"I", 4),
            Elements::U64(_) => (c"Q", 8),
            Elements::I64(_) => (c"q", 8),
            Elements::F32(_) => (c"f", 4),
            Elements::F64(_) => (c"d", 8),
        }
    }
}

impl Array {
    /// An array of one dimension.
    pub fn flat(elements: impl Into<Elements>) -> Self {
        let elements = elements.into();
        let length = elements.bytes().len() / elements.format().1;
        Array::new(elements, &[length])
    }

    /// An array with rows of `width` elements.
    pub fn rows(elements: impl Into<Elements>, n_rows: usize, width: usize) -> Self {
        Array::new(elements, &[n_rows, width])
    }

    /// An array of this shape, the last dimension side by side.
    pub fn new(elements: impl Into<Elements>, shape: &[usize]) -> Self {
        let elements = elements.into();
        let item_size = elements.format().1;
        assert_eq!(shape.iter().product::<usize>() * item_size, elements.bytes().len(), "the shape of an array");
        let mut array =
            Array { elements, n_dimensions: shape.len(), shape: [0; MOST_DIMENSIONS], strides: [0; MOST_DIMENSIONS] };
        let mut stride = item_size as isize;
        for (dimension, &length) in shape.iter().enumerate().rev() {
            (array.shape[dimension], array.strides[dimension]) = (length as isize, stride);
            stride *= length as isize;
        }
        array
    }
}

#[pymethods]
impl Array {
    fn __len__(&self) -> usize {
        self.shape[0] as usize
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape[..self.n_dimensions])
    }

    /// The numbers as lists of lists, for who has no need of NumPy.
    fn tolist(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        PyMemoryView::from(slf.as_any())?.call_method0("tolist")
    }

    /// # Safety
    /// `view` is one that Python has made for this call, as it does for `bf_getbuffer`.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view to fill"));
        }
        // SAFETY: `view` is Python's own. All that it points to lies in the object, or in what it owns; the object is
        // never changed, does not move, and is kept by the view.
        unsafe {
            (*view).obj = ptr::null_mut();
            if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
                return Err(PyBufferError::new_err("an array of the kernel cannot be written to"));
            }
            let array = slf.get();
            let (bytes, (format, item_size)) = (array.elements.bytes(), array.elements.format());
            let has = |flag: c_int| flags & flag == flag;
            (*view).buf = bytes.as_ptr().cast::<c_void>().cast_mut();
            (*view).len = bytes.len() as isize;
            (*view).readonly = 1;
            (*view).itemsize = item_size as isize;
            (*view).format = if has(ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { ptr::null_mut() };
            // Without a shape, C's arrays have one dimension.
            (*view).ndim = if has(ffi::PyBUF_ND) { array.n_dimensions as c_int } else { 1 };
            (*view).shape = if has(ffi::PyBUF_ND) { array.shape.as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).strides = if has(ffi::PyBUF_STRIDES) { array.strides.as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }
}
