//! Cells of a table's columns, of pairs and of triples of columns: counted by class, and read as evidence.
//!
//! A value is a code of one byte. A category's code is its cell. A number's code is a path of [`DEPTHS`]`[0]` bits in a tree
//! that halves the rows at every step, so that the first bits of the code are a coarser cell. [`NOTHING`] is a value that is
//! missing or was never seen: it says nothing, alone or beside others.
//!
//! A term is a column, a pair or a triple. Its cells are counted at its finest level only, by cell and class, one term after
//! the other; coarser levels are sums of it. So counts are one array of whole numbers: learning adds to it, forgetting
//! subtracts, and models of the same layout are merged by adding their arrays.

pub mod counting;
pub mod evidence;
pub mod minimum;
pub mod reading;
pub mod ridge;
pub mod sums;
pub mod weights;

use crate::error::Error;

/// The code of a value that says nothing.
pub const NOTHING: u8 = u8::MAX;
/// Cells that a column can have.
pub const MOST_CELLS: usize = 64;
/// How many levels a number has alone, in a pair and in a triple.
pub const DEPTHS: [usize; 3] = [6, 4, 3];

/// What the codes of a column are: paths of a tree, or one of so many categories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Column {
    Number,
    Categories(usize),
}

impl Column {
    /// How many cells it has at a level.
    pub fn n_cells(self, level: usize) -> usize {
        match self {
            Column::Number => 1 << level,
            Column::Categories(n) => n,
        }
    }

    /// The cell of a code at a level.
    pub fn cell(self, code: u8, level: usize) -> usize {
        match self {
            Column::Number => usize::from(code) >> (DEPTHS[0] - level),
            Column::Categories(_) => usize::from(code),
        }
    }

    /// Where the shares of a level stand: a category has one level.
    pub fn level(self, level: usize) -> usize {
        match self {
            Column::Number => level,
            Column::Categories(_) => 1,
        }
    }
}

/// One to three columns whose cells are counted together.
#[derive(Clone, Debug)]
pub struct Term {
    pub columns: Vec<usize>,
    /// How many levels it has: one where all columns are categories.
    pub n_levels: usize,
    /// Its first cell among those of all terms, at the finest level.
    pub first: usize,
    /// By level, from 1 on: its first cell among those of all terms and levels.
    starts: Vec<usize>,
}

/// The columns, and the terms that are counted: every column, then pairs, then triples.
#[derive(Clone, Debug)]
pub struct Layout {
    pub columns: Vec<Column>,
    pub terms: Vec<Term>,
    /// Cells of all terms at their finest levels.
    pub n_cells: usize,
    /// Cells of all terms at all levels.
    n_leveled: usize,
}

impl Layout {
    /// Of these columns, with these pairs and triples; the columns of each rise.
    pub fn new(columns: Vec<Column>, pairs: &[[usize; 2]], triples: &[[usize; 3]]) -> Result<Layout, Error> {
        let rising =
            |term: &[usize]| term.windows(2).all(|two| two[0] < two[1]) && term.iter().all(|&c| c < columns.len());
        let sound = columns.iter().all(|column| (1..=MOST_CELLS).contains(&column.n_cells(DEPTHS[0])))
            && pairs.iter().all(|pair| rising(pair))
            && triples.iter().all(|triple| rising(triple));
        if !sound {
            return Err(Error::Settings("the cells of these columns, pairs or triples do not fit together".into()));
        }
        let mut layout = Layout { columns, terms: vec![], n_cells: 0, n_leveled: 0 };
        (0..layout.columns.len()).for_each(|column| layout.push(&[column]));
        pairs.iter().for_each(|pair| layout.push(pair));
        triples.iter().for_each(|triple| layout.push(triple));
        Ok(layout)
    }

    fn push(&mut self, columns: &[usize]) {
        let depth = DEPTHS[columns.len() - 1];
        let n_levels = if columns.iter().any(|&column| self.columns[column] == Column::Number) { depth } else { 1 };
        let mut term = Term { columns: columns.to_vec(), n_levels, first: self.n_cells, starts: vec![] };
        for level in 1..=n_levels {
            term.starts.push(self.n_leveled);
            self.n_leveled += self.cells_of(&term, level);
        }
        self.n_cells += self.cells_of(&term, n_levels);
        self.terms.push(term);
    }

    /// How many cells a term has at a level.
    pub fn cells_of(&self, term: &Term, level: usize) -> usize {
        term.columns.iter().map(|&column| self.columns[column].n_cells(level)).product()
    }

    /// The cell of a term at a level, by the codes of all columns; None where one of its values says nothing.
    pub fn cell(&self, term: &Term, level: usize, code: impl Fn(usize) -> u8) -> Option<usize> {
        let mut cell = 0;
        for &column in &term.columns {
            let code = code(column);
            if code == NOTHING {
                return None;
            }
            cell = cell * self.columns[column].n_cells(level) + self.columns[column].cell(code, level);
        }
        Some(cell)
    }

    /// The code that the values in a cell of a term's finest level have, for each of its columns.
    pub fn codes(&self, term: &Term, mut cell: usize) -> Vec<u8> {
        let mut codes = vec![0; term.columns.len()];
        for (code, &column) in codes.iter_mut().zip(&term.columns).rev() {
            let column = self.columns[column];
            let n = column.n_cells(term.n_levels);
            let shift = if column == Column::Number { DEPTHS[0] - term.n_levels } else { 0 };
            *code = ((cell % n) << shift) as u8;
            cell /= n;
        }
        codes
    }

    /// Whether every code is one of its column's cells, or says nothing.
    pub fn fits(&self, codes: &Codes) -> bool {
        codes.columns.len() == self.columns.len() * codes.n_rows
            && self.columns.iter().enumerate().all(|(at, column)| {
                let n = column.n_cells(DEPTHS[0]);
                codes.column(at).iter().all(|&code| code == NOTHING || usize::from(code) < n)
            })
    }
}

/// The codes of rows, one column after the other.
#[derive(Clone, Copy)]
pub struct Codes<'a> {
    pub columns: &'a [u8],
    pub n_rows: usize,
}

impl<'a> Codes<'a> {
    pub fn column(&self, column: usize) -> &'a [u8] {
        &self.columns[column * self.n_rows..(column + 1) * self.n_rows]
    }
}

/// The codes of numbers: that of the interval between `edges`, which rise, that a number is in; [`NOTHING`] for NaN.
///
/// ```
/// use banbury_kernel::cells::codes_of;
/// assert_eq!(codes_of(&[0.5, 1.0, 9.0, f64::NAN], &[1.0, 2.0], &[0, 32, 48]), [0, 32, 48, 255]);
/// ```
pub fn codes_of(numbers: &[f64], edges: &[f64], codes: &[u8]) -> Vec<u8> {
    // Steps of a binary search that all numbers take alike: no branch to guess, and the processor works on several at once.
    let size = (edges.len() + 1).next_power_of_two();
    let mut padded = vec![f64::INFINITY; size];
    padded[..edges.len()].copy_from_slice(edges);
    let mut by_place = vec![codes[codes.len() - 1]; size + 1];
    by_place[..codes.len()].copy_from_slice(codes);
    let code = |&number: &f64| {
        let (mut place, mut half) = (0, size);
        while half > 1 {
            half /= 2;
            place += if padded[place + half - 1] <= number { half } else { 0 };
        }
        if number.is_nan() { NOTHING } else { by_place[place] }
    };
    numbers.iter().map(code).collect()
}

/// What was counted, at every level.
pub struct Leveled {
    pub layout: Layout,
    pub n_classes: usize,
    /// By class, how many rows there are.
    pub rows: Vec<f64>,
    counts: Vec<u32>,
}

impl Leveled {
    /// Of counts at the finest levels, by cell and class.
    pub fn new(layout: Layout, counts: &[i64], rows: Vec<f64>) -> Result<Leveled, Error> {
        let n = rows.len();
        let fits = counts.len() == layout.n_cells * n && counts.iter().all(|&count| u32::try_from(count).is_ok());
        if !fits || rows.iter().any(|&rows| rows > f64::from(u32::MAX)) {
            return Err(Error::Damaged("its counts of cells are not those of its columns".into()));
        }
        let mut leveled = vec![0_u32; layout.n_leveled * n];
        for term in &layout.terms {
            let n_cells = layout.cells_of(term, term.n_levels);
            for cell in 0..n_cells {
                let from = &counts[(term.first + cell) * n..][..n];
                if from.iter().all(|&count| count == 0) {
                    continue;
                }
                let codes = layout.codes(term, cell);
                for level in 1..=term.n_levels {
                    let mut at = 0;
                    for (&code, &column) in codes.iter().zip(&term.columns) {
                        let column = layout.columns[column];
                        at = at * column.n_cells(level) + column.cell(code, level);
                    }
                    let to = &mut leveled[(term.starts[level - 1] + at) * n..][..n];
                    to.iter_mut().zip(from).for_each(|(to, &from)| *to = to.saturating_add(from as u32));
                }
            }
        }
        Ok(Leveled { layout, n_classes: n, rows, counts: leveled })
    }

    /// Where the counts of a cell of a term at a level begin.
    fn place(&self, term: &Term, level: usize, cell: usize) -> usize {
        (term.starts[level - 1] + cell) * self.n_classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let columns = vec![Column::Number, Column::Categories(3), Column::Number];
        Layout::new(columns, &[[0, 1], [0, 2]], &[[0, 1, 2]]).expect("a sound layout")
    }

    #[test]
    fn a_cell_and_its_codes_are_each_others_inverse() {
        let layout = layout();
        for term in &layout.terms {
            for cell in 0..layout.cells_of(term, term.n_levels) {
                let codes = layout.codes(term, cell);
                let code = |column| codes[term.columns.iter().position(|&one| one == column).expect("of the term")];
                assert_eq!(layout.cell(term, term.n_levels, code), Some(cell));
            }
        }
    }

    #[test]
    fn coarser_levels_are_sums() {
        let layout = layout();
        let counts: Vec<i64> = (0..layout.n_cells as i64).map(|cell| cell % 7).collect();
        let leveled = Leveled::new(layout, &counts, vec![1000.0]).expect("fits");
        for term in &leveled.layout.terms {
            let sum = |level| -> u32 {
                (0..leveled.layout.cells_of(term, level))
                    .map(|cell| leveled.counts[leveled.place(term, level, cell)])
                    .sum()
            };
            assert!((1..=term.n_levels).all(|level| sum(level) == sum(1)));
        }
    }

    #[test]
    fn a_code_is_that_of_the_interval() {
        for n_edges in 0..64 {
            let edges: Vec<f64> = (0..n_edges).map(|edge| f64::from(edge) * 1.5).collect();
            let codes: Vec<u8> = (0..=n_edges as u8).collect();
            for number in [-1.0, 0.0, 0.1, 1.5, 3.1, 44.9, 93.0, 94.5, 1e300, f64::NEG_INFINITY] {
                let expected = edges.iter().filter(|&&edge| edge <= number).count() as u8;
                assert_eq!(codes_of(&[number], &edges, &codes), [expected], "{number} in {n_edges}");
            }
        }
    }

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        assert!(Layout::new(vec![Column::Categories(65)], &[], &[]).is_err());
        assert!(Layout::new(vec![Column::Number], &[[0, 1]], &[]).is_err());
        assert!(Layout::new(vec![Column::Number; 2], &[[1, 0]], &[]).is_err());
    }
}
