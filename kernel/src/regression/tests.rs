use super::curvature::{MOST_TOGETHER, factor, solve};
use super::*;

fn rows(class_ids: Vec<u32>, weight: f64) -> Rows {
    Rows { weights: vec![weight; class_ids.len()], class_ids, ..Rows::default() }
}

#[test]
fn a_system_is_solved() {
    let mut matrix = [4.0, 2.0, 2.0, 3.0];
    factor(&mut matrix, 2).expect("positive definite");
    let x = solve(&matrix, &[2.0, 5.0]);
    assert!((x[0] + 0.5).abs() < 1e-6 && (x[1] - 2.0).abs() < 1e-6);
    assert_eq!(factor(&mut [1.0, 2.0, 2.0, 1.0], 2), None);
}

#[test]
fn very_many_biases_are_fitted_as_few_are() {
    // Always the first class, which has the feature.
    for n_classes in [MOST_TOGETHER, MOST_TOGETHER + 1] {
        let bias = vec![0.0; n_classes];
        let prior = Prior { mean: &[0.0], precision: &[1.0], bias: &bias, bias_precision: 1.0 };
        let features = (0..20 * n_classes).map(|i| f64::from(u8::from(i % n_classes == 0))).collect();
        let regression =
            Regression::new(Features::plain(features, 1), n_classes, rows(vec![0; 20], 1.0)).expect("they fit");
        let (fitted, _) = regression.fit(&prior, 1);
        // Where the slope is 0 the penalty holds what is left: both pull alike at feature and bias of the first class.
        assert!(
            (fitted.coefficients[0] - fitted.biases[0]).abs() < 1e-2,
            "{n_classes} {:?} {}",
            fitted.coefficients,
            fitted.biases[0]
        );
        assert!(fitted.biases[0] > 1.0);
    }
}

#[test]
fn nothing_to_learn_leaves_the_prior_and_much_moves_it() {
    let prior = Prior { mean: &[1.0], precision: &[1.0], bias: &[0.0; 3], bias_precision: 1.0 };
    let none = Regression::new(Features::plain(vec![0.0; 3], 1), 3, rows(vec![0], 0.0)).expect("they fit");
    assert_eq!(none.fit(&prior, 1).0, Fitted { coefficients: vec![1.0], biases: vec![0.0; 3] });
    // A feature that always speaks for the wrong class.
    let features: Vec<f64> =
        (0..300).flat_map(|i| (0..3).map(move |c| f64::from(u8::from(c == (i + 1) % 3)))).collect();
    let class_ids = (0..300).map(|i| i % 3).collect();
    let wrong = Regression::new(Features::plain(features, 1), 3, rows(class_ids, 1.0)).expect("they fit");
    let (fitted, _) = wrong.fit(&prior, 2);
    assert!(fitted.coefficients[0] < -3.0);
    assert_eq!(wrong.fit(&prior, 1).0, fitted);
}

/// Some rows of three classes with two features, offsets and scales.
fn some() -> (Vec<f64>, Rows) {
    let number = |i: usize| ((i * 7919 + 13) % 101) as f64 / 50.0 - 1.0;
    let n = 60;
    let rows = Rows {
        class_ids: (0..n as u32).map(|i| (i * i + i / 7) % 3).collect(),
        weights: (0..n).map(|i| 0.5 + number(i).abs()).collect(),
        offsets: (0..3 * n).map(|i| number(i + 5) / 2.0).collect(),
        scales: (0..n).map(|i| number(i + 9).abs()).collect(),
        lists: vec![],
    };
    ((0..6 * n).map(|i| number(i * 3 + 1)).collect(), rows)
}

#[test]
fn lists_of_all_classes_are_all_classes() {
    let (features, dense) = some();
    let prior = Prior { mean: &[0.1, 0.2], precision: &[2.0, 0.5, 0.5, 1.0], bias: &[0.0; 3], bias_precision: 1.0 };
    let mut listed = dense.clone();
    (listed.offsets, listed.lists) = (vec![], vec![]);
    let mut moved = vec![];
    for (at, &class_id) in dense.class_ids.iter().enumerate() {
        let order: Vec<u32> = [class_id].into_iter().chain((0..3).filter(|&class| class != class_id)).collect();
        for &class in &order {
            listed.offsets.push(dense.offsets[at * 3 + class as usize]);
            moved.extend_from_slice(&features[(at * 3 + class as usize) * 2..][..2]);
        }
        listed.lists.extend(order);
    }
    let dense = Regression::new(Features::plain(features, 2), 3, dense).expect("they fit").fit(&prior, 1);
    let listed = Regression::new(Features::plain(moved, 2), 3, listed).expect("they fit").fit(&prior, 1);
    let numbers = |fitted: &Fitted| [&fitted.coefficients[..], &fitted.biases[..]].concat();
    assert!(numbers(&dense.0).iter().zip(numbers(&listed.0)).all(|(a, b)| (a - b).abs() < 1e-9));
    assert!((dense.1 - listed.1).abs() < 1e-9);
}

#[test]
fn a_step_without_a_fold_comes_close_to_a_fit_without_it() {
    let (features, rows) = some();
    let prior = Prior { mean: &[0.1, 0.2], precision: &[2.0, 0.5, 0.5, 1.0], bias: &[0.0; 3], bias_precision: 1.0 };
    let folds: Vec<u32> = (0..60).map(|i| i % 5).collect();
    let whole = Regression::new(Features::plain(features.clone(), 2), 3, rows.clone()).expect("they fit");
    let (fitted, _) = whole.fit(&prior, 1);
    let steps = whole.without(&prior, &fitted, &folds, 5, 2);
    for (fold, step) in steps.iter().enumerate() {
        let mut rest = rows.clone();
        rest.weights.iter_mut().enumerate().filter(|(i, _)| i % 5 == fold).for_each(|(_, weight)| *weight = 0.0);
        let (again, _) =
            Regression::new(Features::plain(features.clone(), 2), 3, rest).expect("they fit").fit(&prior, 1);
        let far = |from: &Fitted| {
            let of = |fitted: &Fitted| [&fitted.coefficients[..], &fitted.biases[..]].concat();
            of(&again).iter().zip(of(from)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        assert!(far(step) < 0.2 * far(&fitted), "{} {}", far(step), far(&fitted));
    }
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    assert!(Regression::new(Features::plain(vec![0.0; 5], 1), 3, rows(vec![0, 1], 1.0)).is_none());
    assert!(Regression::new(Features::plain(vec![0.0; 6], 1), 3, rows(vec![0, 3], 1.0)).is_none());
    let lists = Rows { lists: vec![1, 0, 1, 2], ..rows(vec![0, 1], 1.0) };
    assert!(Regression::new(Features::plain(vec![0.0; 4], 1), 3, lists).is_none());
}

#[test]
fn numbers_that_are_scaled_are_fitted_as_the_features_that_they_make() {
    let number = |i: usize| ((i * 7919 + 13) % 101) as f64 / 50.0 - 1.0;
    let (n, n_classes, widths) = (90, 4, [5, 14]);
    let n_numbers = widths.iter().sum::<usize>();
    let numbers: Vec<f64> = (0..n * n_classes * n_numbers).map(number).collect();
    let factors: Vec<f64> = (0..n * widths.len() * 2).map(|i| number(i + 3).abs()).collect();
    let mut features = vec![];
    for (at, row) in numbers.chunks(n_classes * n_numbers).enumerate() {
        for numbers in row.chunks(n_numbers) {
            let blocks = [(&numbers[..5], 0), (&numbers[5..], 1)];
            for (block, [first, second]) in
                blocks.map(|(block, b)| (block, [0, 1].map(|c| factors[(2 * at + b) * 2 + c])))
            {
                features.extend(block.iter().map(|number| number * first));
                features.extend(block.iter().map(|number| number * second));
            }
        }
    }
    let rows = || Rows {
        class_ids: (0..n as u32).map(|i| (i * i + i / 7) % 4).collect(),
        weights: vec![1.0; n],
        ..Rows::default()
    };
    let scaled = || {
        Features::scaled(
            numbers.clone(),
            Scaled { widths: widths.to_vec(), factors: factors.clone(), n_channels: 2, n_places: 4 },
        )
    };
    assert_eq!(scaled().all(n), features);
    assert_eq!(scaled().all(4 * n), features, "each class may be a row by itself");
    let n_features = 2 * n_numbers;
    let precision: Vec<f64> =
        (0..n_features * n_features).map(|i| f64::from(u8::from(i % (n_features + 1) == 0))).collect();
    let mean = vec![0.1; n_features];
    let prior = Prior { mean: &mean, precision: &precision, bias: &[0.0; 4], bias_precision: 1.0 };
    let plain = Regression::new(Features::plain(features, n_features), n_classes, rows()).expect("they fit");
    let scaled = Regression::new(scaled(), n_classes, rows()).expect("they fit");
    let (fitted, loss) = plain.fit(&prior, 2);
    assert_eq!(scaled.fit(&prior, 2), (fitted.clone(), loss));
    let turns = vec![0; n];
    let logs = |regression: &Regression| regression.log_probabilities(std::slice::from_ref(&fitted), &turns, 2);
    assert_eq!(logs(&scaled), logs(&plain));
    assert_eq!(scaled.size(&mean, 1), plain.size(&mean, 1));
    let few = Features::scaled(
        numbers[1..].to_vec(),
        Scaled { widths: widths.to_vec(), factors, n_channels: 2, n_places: 4 },
    );
    assert!(Regression::new(few, n_classes, rows()).is_none());
}
