//! What the disk alone can do: one write and one wait for it at a time.

use crate::clock::Start;
use crate::samples::Samples;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of one write, as of one page.
const WRITE: [u8; 4_096] = [7; 4_096];
/// Writes after which the file is overwritten from its beginning: it does not grow while it is measured.
const FILE: u64 = 1_024;

#[derive(Debug)]
pub struct Disk {
    file: File,
    next: u64,
}

impl Disk {
    /// A file of its full length, in the directory that is measured.
    pub fn open(directory: &Path) -> io::Result<Disk> {
        let path = directory.join("fdatasync");
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        (0..FILE).try_for_each(|n| file.write_all_at(&WRITE, n * WRITE.len() as u64))?;
        file.sync_all()?;
        Ok(Disk { file, next: 0 })
    }

    /// Nanoseconds of one write and `fdatasync`.
    pub fn sample(&mut self) -> io::Result<f64> {
        let start = Start::now();
        self.file.write_all_at(&WRITE, self.next % FILE * WRITE.len() as u64)?;
        self.file.sync_data()?;
        self.next += 1;
        Ok(start.nanoseconds())
    }

    /// Samples for so many seconds.
    pub fn measure(&mut self, seconds: f64, into: &mut Samples) -> io::Result<()> {
        let start = Start::now();
        while start.seconds() < seconds {
            into.push(self.sample()?);
        }
        Ok(())
    }
}
