//! A slice that is owned, shared, or borrowed from a file that was read into memory.
//!
//! Copies of a model that was loaded share its arrays; the first change copies them.

use std::ops::Deref;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};

use crate::processor::Cleared;

/// Bytes that somebody else keeps alive: a mapped file.
pub trait Bytes: Send + Sync {
    fn bytes(&self) -> &[u8];
}

impl Bytes for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// Elements of `T`, owned, shared or mapped.
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
    Shared(Arc<Cleared<T>>),
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

    /// Elements that all copies have in common until one of them changes.
    pub fn shared(elements: Cleared<T>) -> Self {
        Array::Shared(Arc::new(elements))
    }

    /// The elements for writing; copied first where they are not its own.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if !matches!(self, Array::Owned(_)) {
            *self = Array::Owned(match std::mem::take(self) {
                Array::Shared(elements) => Arc::try_unwrap(elements).map_or_else(|all| all.to_vec(), Cleared::into_vec),
                other => other.to_vec(),
            });
        }
        match self {
            Array::Owned(elements) => elements,
            _ => unreachable!("copied above"),
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
            Array::Shared(elements) => elements,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_copies_share_is_copied_by_the_first_that_changes() {
        let mut array = Array::shared(Cleared::Few(vec![1u32, 2]));
        let mut copy = array.clone();
        assert_eq!(array.as_ptr(), copy.as_ptr());
        copy.to_mut().push(3);
        assert_eq!((&array[..], &copy[..]), (&[1, 2][..], &[1, 2, 3][..]));
        let before = array.as_ptr();
        array.to_mut()[0] = 7;
        assert_eq!((&array[..], array.as_ptr()), (&[7, 2][..], before), "nobody else had it any more");
    }
}
