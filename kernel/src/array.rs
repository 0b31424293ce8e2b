//! A slice that is owned, or borrowed from a file that was mapped into memory.
//!
//! A model that was loaded reads its arrays where they lie in the file; the first change copies them.

use std::ops::Deref;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};

/// Bytes that somebody else keeps alive: a mapped file.
pub trait Bytes: Send + Sync {
    fn bytes(&self) -> &[u8];
}

impl Bytes for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// Elements of `T`, owned or mapped.
///
/// ```
/// use banbury_kernel::array::Array;
/// let mut array: Array<u32> = vec![1, 2].into();
/// array.to_mut().push(3);
/// assert_eq!(&array[..], [1, 2, 3]);
/// ```
#[derive(Clone)]
pub enum Array<T> {
    Owned(Vec<T>),
    Mapped(Arc<dyn Bytes>),
}

impl<T: AnyBitPattern + NoUninit> Array<T> {
    /// The array that lies in `bytes`; None where their length or alignment is not that of `T`.
    pub fn mapped(bytes: Arc<dyn Bytes>) -> Option<Self> {
        // Nothing has no alignment.
        if bytes.bytes().is_empty() {
            return Some(Array::default());
        }
        bytemuck::try_cast_slice::<u8, T>(bytes.bytes()).ok()?;
        Some(Array::Mapped(bytes))
    }

    /// The elements for writing; copied first where they were mapped.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Array::Mapped(_) = self {
            *self = Array::Owned(self.to_vec());
        }
        match self {
            Array::Owned(elements) => elements,
            Array::Mapped(_) => unreachable!("copied above"),
        }
    }

    /// The raw bytes, as a file holds them.
    pub fn as_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }
}

impl<T: AnyBitPattern + NoUninit> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Array::Owned(elements) => elements,
            Array::Mapped(bytes) => bytemuck::cast_slice(bytes.bytes()),
        }
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(elements: Vec<T>) -> Self {
        Array::Owned(elements)
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Array::Owned(Vec::new())
    }
}
