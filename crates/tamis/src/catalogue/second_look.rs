//! A second look at a table after `snbl`: is there anything that a difference of means does not see?

use crate::base::{Context, Error, Result};
use crate::dependence::{Dependence, shapes_dominate};
use crate::selection::detail::RelationKind;
use crate::selection::{SecondLook, Selection};
use crate::table::{Target, View};

/// Features that are looked at; of more, so many spread evenly over the table.
const MOST_FEATURES: usize = 2000;
/// Cells of those features beyond which a second look would take too long.
const MOST_CELLS: usize = 4_000_000;
/// The share of tables with a permuted target in which anything may be found.
const LOUD: f64 = 0.01;
/// Rows below which there is nothing to see.
const FEWEST_ROWS: usize = 20;

impl Selection {
    /// Looks for features related to the target by shape, or only together with another, that are not selected; the
    /// selection stays as it is. The features that are not selected are tested by themselves, and a pair with a selected
    /// partner only counts if it tells more than the partner's difference. Tables that are too large, weights, survival times,
    /// covariates, blocks and comparisons of some classes are not looked at. A note says so where most of what is found
    /// differs in shape, which has a common cause more often than not.
    ///
    /// Cost: that of [`Dependence`] on at most 2,000 features and 4 million cells; the work, and with it the answer, depends
    /// on the table alone, never on the clock.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] only.
    pub fn look_again(&mut self, data: &View, context: &mut Context) -> Result<()> {
        let features = looked_at(data.n_features());
        if !can_look(data, features.len()) {
            return Ok(());
        }
        let table = data.narrowed(&features);
        let seed = context.seed;
        let mask = self.mask();
        let named: Vec<bool> = features.iter().map(|&feature| mask[feature as usize]).collect();
        let mut inner = Context::new(seed, context);
        let found = match Dependence::default().kinds_beside(&data.over(&table), &named, LOUD, &mut inner) {
            Ok(found) => found,
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(_) => return Ok(()), // nothing varies, or the like: there is nothing to see
        };
        let mut look = SecondLook { features: features.len(), ..SecondLook::default() };
        for (&feature, relation) in features.iter().zip(&found) {
            match relation {
                Some((RelationKind::Shape, _)) => look.shape.push(feature),
                Some((RelationKind::Together, Some(partner))) => {
                    look.together.push(feature);
                    look.partners.push(features[*partner as usize]);
                }
                _ => {}
            }
        }
        self.notes.extend(shapes_dominate(look.shape.len(), found.iter().flatten().count()));
        self.second_look = Some(look);
        Ok(())
    }
}

/// The features to look at, evenly spread where there are too many.
fn looked_at(features: usize) -> Vec<u32> {
    let some = features.min(MOST_FEATURES);
    (0..some).map(|at| (at * features / some) as u32).collect()
}

fn can_look(data: &View, features: usize) -> bool {
    let rows = data.rows().len();
    let comparison = data.comparison();
    rows >= FEWEST_ROWS
        && rows * features <= MOST_CELLS
        && data.weights().is_none()
        && data.covariates().is_empty()
        && data.blocks().is_none()
        && comparison.contrast.is_none()
        && !matches!(data.target(), Target::Survival { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use crate::selection::Selector;
    use crate::sparse_means::Snbl;
    use crate::table::Table;
    use rand::RngExt;

    /// 30 uniform features: the second is wider in one class, the fourth and fifth are an exclusive or.
    fn table(rows: usize) -> Table {
        let mut rng = random::stream(11, 0);
        let mut columns: Vec<Vec<f64>> =
            (0..30).map(|_| (0..rows).map(|_| rng.random::<f64>() - 0.5).collect()).collect();
        let same: Vec<bool> = (0..rows).map(|row| (columns[3][row] > 0.0) == (columns[4][row] > 0.0)).collect();
        (0..rows).filter(|&row| same[row]).for_each(|row| columns[1][row] *= 4.0);
        let labels: Vec<Option<&str>> = same.iter().map(|same| Some(if *same { "a" } else { "b" })).collect();
        let names = (0..30).map(|j| format!("f{j}")).collect();
        Table::new(names, columns, "y", Target::classes(&labels)).expect("a table")
    }

    #[test]
    fn shapes_and_pairs_are_seen_and_the_answer_stays() {
        let table = table(300);
        let mut selection = Snbl::default().select(&table.view(), &mut Context::default()).expect("a selection");
        let before = selection.selected.clone();
        selection.look_again(&table.view(), &mut Context::default()).expect("a look");
        assert_eq!(selection.selected, before);
        let seen = selection.second_look.expect("a look");
        assert_eq!((seen.features, &seen.shape[..], &seen.together[..]), (30, &[1][..], &[3, 4][..]));
        assert_eq!(seen.partners, [4, 3]);
    }

    #[test]
    fn features_are_spread_evenly_and_large_or_small_tables_not_looked_at() {
        assert_eq!(looked_at(3), [0, 1, 2]);
        let some = looked_at(5000);
        assert_eq!((some.len(), some[1], some[1999]), (2000, 2, 4997));
        let small = table(19);
        assert!(!can_look(&small.view(), 30));
        let usual = table(25);
        assert!(can_look(&usual.view(), 30) && !can_look(&usual.view(), 200_000));
    }
}
