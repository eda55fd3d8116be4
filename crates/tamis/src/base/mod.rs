//! Errors, notes, descriptions of methods and their parameters, and the context of a run: the layer below all others.

mod background;
pub mod context;
mod counted;
pub mod describe;
pub mod error;
pub mod note;
pub mod parameter;
pub(crate) mod remedies;
mod visible;
pub(crate) mod wording;

#[doc(hidden)]
pub use background::{BackgroundFault, in_background};
pub use context::{Context, Progress, Silent};
#[doc(hidden)]
pub use counted::{counted, plural, some_of};
pub use describe::{Describe, MethodInfo, MethodRecord};
pub use error::{Error, Place, Result};
pub use note::{Note, NoteKind, Weight};
pub use parameter::{Auto, Parameter};
#[doc(hidden)]
pub use visible::{is_hidden, visible, visible_lines};
pub(crate) use wording::text;
#[doc(hidden)]
pub use wording::{Command, OptionName, Text, Voice};
pub use wording::{Part, RustVoice};

/// The version of evaluations and models; selections have a newer one of their own. A reader refuses a newer file.
pub const FORMAT_VERSION: u32 = 1;
