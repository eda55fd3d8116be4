//! Arrow's IPC formats: a stream of messages, and the file, which is such a stream between two marks.
//!
//! The file's footer is an index for random access; reading from front to back does without, and so works on pipes.

use crate::base::error::Place;
use crate::base::{Error, Progress, Result, Text, text};
use crate::table::ReadOptions;
use crate::table::read::columnar::columns_builder::ColumnsBuilder;
use crate::table::read::columnar::{ReadPlan, guarded, say_what_it_is};
use crate::table::read::open::{DecodedInput, Input, raise_limit};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{Message, MessageHeader, convert, root_as_message};
use arrow_schema::{ArrowError, Schema};
use std::collections::HashMap;
use std::sync::Arc;

const MAGIC: &[u8] = b"ARROW1";
/// Body bytes read at a time: memory follows what arrives, not what a message declares.
const CHUNK: usize = 1 << 20;

/// The columns that `plan` asks for.
pub(crate) fn read(
    input: Input,
    options: &ReadOptions,
    progress: &mut dyn Progress,
    plan: &mut ReadPlan<'_>,
) -> Result<ColumnsBuilder> {
    let mut batches = IpcReader::open(input, options)?;
    let fields = batches.schema.fields().clone();
    let mut builder = ColumnsBuilder::new(&fields, &plan(&fields)?, options.expansion, &batches.place())?;
    while let Some(batch) = batches.next(&builder.wanted, options, progress)? {
        builder.push(&batch, batches.progress().0)?;
    }
    Ok(builder)
}

/// An Arrow file or stream, batch by batch.
pub(crate) struct IpcReader {
    stream: IpcStream,
    pub(crate) schema: Arc<Schema>,
    dictionaries: HashMap<i64, ArrayRef>,
    is_file: bool,
}

impl IpcReader {
    /// Reads the schema.
    pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<IpcReader> {
        let mut stream = IpcStream { source: input.decode_binary(options.expansion)?, expanded: 0 };
        let mut head = [0; 8];
        let got = stream.source.fill(&mut head)?;
        let is_file = head.starts_with(MAGIC);
        if head.starts_with(b"FEA1") {
            return Err(stream.fail("it is Feather version 1; write it again as version 2"));
        }
        if got < 8 || !(is_file || head.starts_with(&[0xff; 4])) {
            let words = "it is neither an Arrow file nor an Arrow stream";
            return Err(stream.fail(text![words, say_what_it_is()]));
        }
        // the mark is padded by zeros, to 8 bytes by some writers and to 64 by others; a stream has no mark
        for _ in 0..8 {
            if !(head.starts_with(MAGIC) || head == [0; 8]) {
                break;
            }
            stream.fill(&mut head)?;
        }
        let (message, _) = stream.message(head)?.ok_or_else(|| stream.fail("it holds no table; write it again"))?;
        let schema = guarded(&stream.source.name, || {
            let message = parse(&message)?;
            let schema = message.header_as_schema().ok_or_else(|| ArrowError::ParseError("no schema".into()))?;
            convert::try_fb_to_schema(schema)
        })?;
        Ok(IpcReader { stream, schema: Arc::new(schema), dictionaries: HashMap::new(), is_file })
    }

    pub(crate) fn place(&self) -> Place {
        Place::file(&self.stream.source.name)
    }

    /// Bytes read, of how many.
    pub(crate) fn progress(&self) -> (u64, u64) {
        self.stream.source.progress()
    }

    /// The wanted columns of the next batch; `None` at the end, which is checked.
    pub(crate) fn next(
        &mut self,
        wanted: &[usize],
        options: &ReadOptions,
        progress: &mut dyn Progress,
    ) -> Result<Option<RecordBatch>> {
        let mut head = [0; 8];
        loop {
            let (done, total) = self.progress();
            progress.step("reading", done, total)?;
            self.stream.fill(&mut head)?;
            let Some((message, body)) = self.stream.message(head)? else {
                if self.is_file {
                    self.stream.check_end()?;
                }
                return Ok(None);
            };
            self.stream.check_buffers(&message, &body, options)?;
            let (schema, dictionaries) = (&self.schema, &mut self.dictionaries);
            let batch = guarded(&self.stream.source.name, || {
                let message = parse(&message)?;
                let version = message.version();
                match message.header_type() {
                    MessageHeader::DictionaryBatch => {
                        let batch = message.header_as_dictionary_batch();
                        let batch = batch.ok_or_else(|| ArrowError::ParseError("no dictionary".into()))?;
                        read_dictionary(&body.into(), batch, schema, dictionaries, &version)?;
                        Ok(None)
                    }
                    MessageHeader::RecordBatch => {
                        let batch = message.header_as_record_batch();
                        let batch = batch.ok_or_else(|| ArrowError::ParseError("no rows".into()))?;
                        read_record_batch(&body.into(), batch, Arc::clone(schema), dictionaries, Some(wanted), &version)
                            .map(Some)
                    }
                    other => Err(ArrowError::ParseError(format!("an unexpected message, {other:?}"))),
                }
            })?;
            if batch.is_some() {
                return Ok(batch);
            }
        }
    }
}

/// A message, its structure verified.
fn parse(bytes: &[u8]) -> Result<Message<'_>, ArrowError> {
    root_as_message(bytes).map_err(|e| ArrowError::ParseError(e.to_string()))
}

/// The part of a body that a buffer says it takes.
fn within(body: &[u8], offset: i64, length: i64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    body.get(start..start.checked_add(usize::try_from(length).ok()?)?)
}

struct IpcStream {
    source: DecodedInput,
    /// Bytes that compressed buffers declared so far.
    expanded: u64,
}

impl IpcStream {
    fn fail(&self, reason: impl Into<Text>) -> Error {
        Error::read(self.source.name.clone(), reason)
    }

    /// Fills all of it, or says that the file is too short.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<()> {
        if self.source.fill(buffer)? < buffer.len() {
            return Err(self.fail("it ends early; copy or write it again"));
        }
        Ok(())
    }

    /// The message that these eight bytes begin, and its body; `None` if they are the end mark.
    fn message(&mut self, head: [u8; 8]) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let [a, b, c, d, length @ ..] = head;
        if [a, b, c, d] != [0xff; 4] {
            return Err(self.fail("it is damaged, or in the layout Arrow had before version 0.15; write it again"));
        }
        let length = i32::from_le_bytes(length);
        if length == 0 {
            return Ok(None);
        }
        let message = self.bytes(i64::from(length))?;
        let body = guarded(&self.source.name, || parse(&message).map(|message| message.bodyLength()))?;
        let body = self.bytes(body)?;
        Ok(Some((message, body)))
    }

    /// So many bytes, memory growing as they arrive.
    fn bytes(&mut self, length: i64) -> Result<Vec<u8>> {
        let length = usize::try_from(length).map_err(|_| self.fail("a length in it is negative: it is damaged"))?;
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let start = bytes.len();
            bytes.resize(start + (length - start).min(CHUNK.max(start)), 0);
            self.fill(&mut bytes[start..])?;
        }
        Ok(bytes)
    }

    /// Refuses buffers outside the message's body, and compressed ones that declare more than the input may expand
    /// to: memory is set aside by what they declare.
    fn check_buffers(&mut self, message: &[u8], body: &[u8], options: &ReadOptions) -> Result<()> {
        let expanded = guarded(&self.source.name, || {
            let message = parse(message)?;
            let batch = match message.header_type() {
                MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
                _ => message.header_as_record_batch(),
            };
            let Some(batch) = batch else { return Ok::<u64, ArrowError>(0) };
            let compressed = batch.compression().is_some();
            let mut sum = 0_u64;
            for buffer in batch.buffers().into_iter().flatten() {
                let bytes = within(body, buffer.offset(), buffer.length());
                let bytes = bytes.ok_or_else(|| ArrowError::ParseError("a buffer lies outside its message".into()))?;
                if let (true, Some(declared)) = (compressed, bytes.first_chunk()) {
                    let declared = u64::try_from(i64::from_le_bytes(*declared)).unwrap_or(0); // −1: not compressed
                    sum = sum.saturating_add(declared);
                }
            }
            Ok(sum)
        })?;
        self.expanded = self.expanded.saturating_add(expanded);
        let consumed = self.source.progress().0;
        let allowed = options.expansion.bytes.saturating_add(options.expansion.ratio.saturating_mul(consumed));
        if self.expanded > allowed {
            let expands = format!("its compressed columns expand to more than {allowed} bytes");
            return Err(self.fail(raise_limit(expands)));
        }
        Ok(())
    }

    /// Refuses a file whose second mark is not at its end.
    fn check_end(&mut self) -> Result<()> {
        let mut tail: Vec<u8> = Vec::new();
        let mut chunk = vec![0; 1 << 16];
        loop {
            let n = self.source.fill(&mut chunk)?;
            if n == 0 {
                break;
            }
            tail.extend_from_slice(&chunk[..n]);
            tail.drain(..tail.len().saturating_sub(MAGIC.len()));
        }
        if tail == MAGIC { Ok(()) } else { Err(self.fail("it ends early; copy or write it again")) }
    }
}
