//! Beside the answer of `snbl`: which of the named features are needed, given the others?

use super::Method;
use crate::base::{Context, Error, Note, NoteKind, OptionName, Result, counted, text};
use crate::needed::Needed;
use crate::score::Factors;
use crate::selection::Selection;
use crate::table::View;

/// Nanoseconds that `snbl` takes for a cell of the table and a null target, and for a feature and a null target.
const CELL: f64 = 0.11;
const FEATURE: f64 = 110.0;
/// Nanoseconds that a second look takes for a cell of the features that it looks at, and for a feature.
const LOOK_AT_CELL: f64 = 55.0;
const LOOK_AT_FEATURE: f64 = 80_000.0;
/// Less than this nobody notices: the question is asked in any case.
const UNNOTICED: f64 = 2e8;

impl Selection {
    /// Asks `needed`, at the rate `fdr` of the method, where the method has named features and the question takes less work
    /// than the answer did; otherwise a note says how to ask. The selection stays as it is. Formulas and
    /// latent factors are not asked about, because `needed` does not adjust for them.
    ///
    /// Cost: less than that of the answer, or a fifth of a second. The work is estimated from the table alone, never by the clock, so that whether
    /// there is an answer can be repeated.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] only.
    pub fn ask_what_is_needed(&mut self, data: &View, method: &Method, context: &mut Context) -> Result<()> {
        let named = self.selected.len() - self.kept.len();
        let Method::Snbl(snbl) = method else { return Ok(()) };
        if named == 0 || data.model().is_some() || snbl.factors != Factors::None {
            return Ok(());
        }
        let needed = Needed { fdr: snbl.means.fdr, ..Needed::default() };
        if needed.nanoseconds(data) > self.nanoseconds(data).max(UNNOTICED) {
            self.notes.push(how_to_ask(named));
            return Ok(());
        }
        let seed = context.seed;
        match needed.explain(data, &mut Context::new(seed, context)) {
            Ok((found, notes)) => {
                self.notes.extend(notes.into_iter().filter(|note| is_about_the_answer(note.kind)));
                self.needed = Some(found);
                Ok(())
            }
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Err(_) => Ok(()), // too few rows, no numbers, or the like: there is nothing to say
        }
    }

    /// About how long the answer took.
    fn nanoseconds(&self, data: &View) -> f64 {
        let (rows, features) = (data.rows().len() as f64, data.n_features() as f64);
        let gate = self.detail.fit.as_ref().and_then(|fit| fit.gate.as_ref());
        let nulls = gate.and_then(|gate| gate.permutations).unwrap_or(0) as f64;
        let looked_at = self.second_look.as_ref().map_or(0.0, |look| look.features as f64);
        nulls * features * (FEATURE + CELL * rows) + looked_at * (LOOK_AT_FEATURE + LOOK_AT_CELL * rows)
    }
}

/// What is said of the answer; how columns were read, the method itself has said.
fn is_about_the_answer(kind: NoteKind) -> bool {
    matches!(kind, NoteKind::ChainsDisagree | NoteKind::FollowsFactor | NoteKind::CategoriesSetAside)
}

fn how_to_ask(named: usize) -> Note {
    let which = if named == 1 {
        "whether this feature is".into()
    } else {
        format!("which of these {} are", counted(named, "feature"))
    };
    let said = format!("{which} needed, given the others, takes longer to answer; ask with ");
    Note::new(NoteKind::NeededNotAsked, text![said, OptionName::Method.set("needed")])
}
