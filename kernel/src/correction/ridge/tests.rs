//! What is quick gives the same numbers, to the bit, as what is plain.

use super::*;

/// Numbers that repeat nothing, about 0.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..n).map(|_| next()).collect()
}

fn vector(n: usize, seed: u64) -> Vector {
    Vector { shares: numbers(n, seed), scores: numbers(n, seed + 100) }
}

fn bits(vector: &Vector) -> Vec<u64> {
    vector.shares.iter().chain(&vector.scores).map(|number| number.to_bits()).collect()
}

/// The two loops of L-BFGS as books have them.
fn plain_direction(gradient: &Vector, history: &VecDeque<Taken>) -> Vector {
    let mut step = gradient.clone();
    step.scale(-1.0);
    let mut taken = vec![];
    for Taken { step: move_, change, .. } in history.iter().rev() {
        let times = move_.dot(&step) / move_.dot(change);
        step.add(-times, change, 1);
        taken.push(times);
    }
    if let Some(Taken { step: move_, change, .. }) = history.back() {
        step.scale(move_.dot(change) / change.dot(change));
    }
    for (Taken { step: move_, change, .. }, times) in history.iter().zip(taken.into_iter().rev()) {
        let back = change.dot(&step) / move_.dot(change);
        step.add(times - back, move_, 1);
    }
    step
}

#[test]
fn the_way_down_is_that_of_the_plain_loops() {
    for n in [1, 5, AT_A_TIME, 3 * AT_A_TIME + 7, LARGE + 3] {
        for length in [0, 1, 2, HISTORY] {
            let gradient = vector(n, 1);
            let history: VecDeque<Taken> = (0..length as u64)
                .map(|at| {
                    let (step, change) = (vector(n, 10 + at), vector(n, 30 + at));
                    let (product, square) = (step.dot(&change), change.dot(&change));
                    Taken { step, change, product, square }
                })
                .collect();
            let expected = bits(&plain_direction(&gradient, &history));
            for threads in [1, 2, 3] {
                assert!(bits(&direction(&gradient, &history, threads)) == expected, "{n} numbers, {length} steps");
            }
        }
    }
}

#[test]
fn numbers_are_changed_alike_by_any_number_of_threads() {
    let n = LARGE + 5;
    let (one, other) = (vector(n, 1), vector(n, 2));
    let changed = |threads| {
        let mut vector = one.clone();
        vector.add(0.3, &other, threads);
        bits(&vector)
    };
    assert!(changed(1) == changed(2));
}

#[test]
fn rows_of_a_known_width_sum_as_rows_of_any_width() {
    let places: Vec<u32> = (0..50).map(|at| at * 37 % 23).collect();
    for n in 2..30 {
        let rows: Vec<f32> = numbers(23 * n, n as u64).into_iter().map(|number| number as f32).collect();
        let (mut known, mut any) = (vec![7.0; n], vec![8.0; n]);
        sum_rows(&rows, n, &places, &mut known);
        sum_wide_rows(&rows, n, &places, &mut any);
        assert_eq!(known, any);
        assert!(
            (known[n - 1] - places.iter().map(|&at| f64::from(rows[at as usize * n + n - 1])).sum::<f64>()).abs()
                < 1e-12
        );
    }
}
