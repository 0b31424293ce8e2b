//! Memory that is read all over the place: in large pages where the system has them, so that the processor need not look up
//! where each small one lies.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use bytemuck::Zeroable;

/// An empty vector with room for `n` elements that will be read all over the place.
pub fn scattered<T>(n: usize) -> Vec<T> {
    let vector = Vec::with_capacity(n);
    prefer_large_pages(&vector);
    vector
}

/// So many zeros, in memory that the system has cleared: it is not touched before it is used.
pub fn scattered_zeros<T: Clone + Zeroable>(n: usize) -> Vec<T> {
    let zeros = vec![T::zeroed(); n];
    prefer_large_pages(&zeros);
    zeros
}

fn prefer_large_pages<T>(vector: &Vec<T>) {
    #[cfg(target_os = "linux")]
    if vector.capacity() * size_of::<T>() >= 4 << 20 {
        const PAGE: usize = 4096;
        let start = (vector.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (vector.as_ptr() as usize + vector.capacity() * size_of::<T>()) / PAGE * PAGE;
        // SAFETY: advice about memory that the vector owns; it changes nothing that a program can see, and may be refused.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

/// The same, filled with `element`.
pub fn scattered_filled<T: Clone>(element: T, n: usize) -> Vec<T> {
    let mut vector = scattered(n);
    vector.resize(n, element);
    vector
}

/// The same elements, in memory for elements which will be read all over the place.
pub fn scattered_copy<T: Clone>(elements: &[T]) -> Vec<T> {
    let mut vector = scattered(elements.len());
    vector.extend_from_slice(elements);
    vector
}

/// Elements that will be read all over the place, from the start of a cache line on: an element whose size divides that of a
/// line lies in one line.
pub struct Scattered<T> {
    start: NonNull<T>,
    /// Elements that are there, and those that there is room for: all or none of these.
    len: usize,
    room: usize,
    layout: Layout,
}

// SAFETY: it owns its elements, as a vector does.
unsafe impl<T: Send> Send for Scattered<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Scattered<T> {}

impl<T: Copy> Scattered<T> {
    const LINE: usize = 64;
    const LARGE_PAGE: usize = 2 << 20;

    /// `n` times the same element.
    ///
    /// ```
    /// let elements = banbury_kernel::processor::Scattered::filled([7u32; 8], 1000);
    /// assert!(elements.iter().all(|element| *element == [7; 8] && element.as_ptr() as usize % 32 == 0));
    /// ```
    pub fn filled(element: T, n: usize) -> Self {
        let mut elements = Scattered::with_room_for(n);
        elements.fill_up(element);
        elements
    }

    /// No elements, with room for `n`. Memory is reused more often where one thread asks for it: those that come and go give theirs
    /// back to the system.
    pub fn with_room_for(n: usize) -> Self {
        let bytes = n.checked_mul(size_of::<T>()).expect("it fits into memory").max(1);
        let align = if bytes >= Self::LARGE_PAGE { Self::LARGE_PAGE } else { Self::LINE.max(align_of::<T>()) };
        let layout = Layout::from_size_align(bytes.next_multiple_of(align), align).expect("it fits into memory");
        // SAFETY: the layout has a size. The advice is about memory that nobody else knows of yet, changes nothing that a program
        // can see, and may be refused.
        unsafe {
            let Some(start) = NonNull::new(alloc(layout).cast::<T>()) else { handle_alloc_error(layout) };
            #[cfg(target_os = "linux")]
            if align == Self::LARGE_PAGE {
                libc::madvise(start.as_ptr().cast(), layout.size(), libc::MADV_HUGEPAGE);
            }
            Scattered { start, len: 0, room: n, layout }
        }
    }

    /// Makes all that there is room for this element.
    pub fn fill_up(&mut self, element: T) {
        // SAFETY: there is room for so many, and all are written before anybody can read them.
        unsafe { (0..self.room).for_each(|at| self.start.as_ptr().add(at).write(element)) };
        self.len = self.room;
    }
}

impl<T> Drop for Scattered<T> {
    fn drop(&mut self) {
        // SAFETY: this is how it was allocated; its elements are Copy, so they need no drop.
        unsafe { dealloc(self.start.as_ptr().cast(), self.layout) };
    }
}

impl<T> Deref for Scattered<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: so many elements have been written there.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Scattered<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: so many elements have been written there, and nobody else has them.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}
