//! The features of rows, where one number may make several of them.
//!
//! The curves of all channels are multiplied by the same numbers, each time scaled for the length of the document. All products would
//! take twice the memory, and a pass over them twice the time. So those of a row are made when they are needed, in memory that stays
//! in the nearest cache.

/// By row, scored class and number.
pub struct Features {
    values: Vec<f64>,
    /// Of a row in a scored class.
    n_numbers: usize,
    n_features: usize,
    /// None where the numbers are the features.
    scaled: Option<Scaled>,
}

/// What numbers are multiplied by: those of a block by one factor after the other, then those of the next block.
pub struct Scaled {
    /// How many numbers each block has.
    pub widths: Vec<usize>,
    /// By document, block and channel.
    pub factors: Vec<f64>,
    pub n_channels: usize,
    /// How many classes of a document share its factors. Each may be a row by itself.
    pub n_places: usize,
}

/// The features of a row, by scored class.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    values: &'a [f64],
    n_features: usize,
}

impl Row<'_> {
    /// The first `n` features of a scored class.
    #[inline(always)]
    pub(super) fn of(&self, place: usize, n: usize) -> &[f64] {
        &self.values[place * self.n_features..][..n]
    }
}

impl Features {
    /// Numbers that are the features.
    pub fn plain(values: Vec<f64>, n_features: usize) -> Self {
        Features { values, n_numbers: n_features, n_features, scaled: None }
    }

    pub fn scaled(values: Vec<f64>, scaled: Scaled) -> Self {
        let n_numbers = scaled.widths.iter().sum();
        Features { values, n_numbers, n_features: n_numbers * scaled.n_channels, scaled: Some(scaled) }
    }

    /// Whether they are those of so many rows in so many scored classes.
    pub(super) fn fit(&self, n_rows: usize, n_scored: usize) -> bool {
        let n = n_rows * n_scored;
        let has_factors = |scaled: &Scaled| {
            let n_factors = scaled.widths.len() * scaled.n_channels;
            scaled.n_places.is_multiple_of(n_scored.max(1)) && scaled.factors.len() * scaled.n_places == n * n_factors
        };
        self.values.len() == n * self.n_numbers && self.scaled.as_ref().is_none_or(has_factors)
    }

    /// Those of all of so many rows, by row, scored class and feature.
    pub fn all(&self, n_rows: usize) -> Vec<f64> {
        let n_scored = self.values.len() / (n_rows * self.n_numbers).max(1);
        let mut memory = vec![];
        (0..n_rows).flat_map(|at| self.row(at, n_scored, &mut memory).values.to_vec()).collect()
    }

    /// How many features a row has in a scored class.
    pub(super) fn width(&self) -> usize {
        self.n_features
    }

    /// Those of a row, in memory that can be used for it.
    #[inline(always)]
    pub(super) fn row<'a>(&'a self, at: usize, n_scored: usize, memory: &'a mut Vec<f64>) -> Row<'a> {
        let (n_features, width) = (self.n_features, n_scored * self.n_numbers);
        let values = &self.values[at * width..][..width];
        let Some(Scaled { widths, factors, n_channels, n_places }) = &self.scaled else {
            return Row { values, n_features };
        };
        let n_factors = widths.len() * n_channels;
        let factors = &factors[at * n_scored / n_places * n_factors..][..n_factors];
        memory.resize(n_scored * n_features, 0.0);
        let mut rest = &mut memory[..];
        for mut numbers in values.chunks(self.n_numbers.max(1)) {
            for (&width, factors) in widths.iter().zip(factors.chunks(*n_channels)) {
                let block;
                (block, numbers) = numbers.split_at(width);
                for factor in factors {
                    let (features, after) = rest.split_at_mut(width);
                    for (feature, number) in features.iter_mut().zip(block) {
                        *feature = number * factor;
                    }
                    rest = after;
                }
            }
        }
        Row { values: memory, n_features }
    }
}
