import Bytes
import Rows

/// A cache of object keys and row addresses by primary key, which saves one of the two look-ups of a read.
///
/// An entry is only a guess: an object key is never used again and a primary key never changes, so the row
/// that it leads to is the right one if it is there and has the primary key; otherwise the key is looked
/// up as usual. That holds for every snapshot, older or newer than the entry. A table without chains: a
/// new entry takes the place of the one that was there. One thread at a time uses a cache.
package final class PrimaryKeyCache {
    private let entryCountLog2: Int

    /// The result of a look-up of a primary key.
    struct Entry {
        /// The object key, with a part of the primary key's hash above; 0 for nothing.
        fileprivate var mark: UInt64
        /// Where the row lay when it was read last.
        var address: UInt

        /// The bits of an object key.
        fileprivate static let keyBits: UInt64 = 44

        /// The object key.
        var key: UInt64 { mark & (1 << Self.keyBits - 1) }
    }

    private let entries: UnsafeMutablePointer<Entry>

    /// Makes an empty cache.
    ///
    /// - `entryCountLog2`: How many entries it has, of sixteen bytes each; 2 MiB of them if nothing is said.
    ///   A table of twice as many as a class has objects leads to nearly all of them.
    package init(entryCountLog2: Int = 17) {
        self.entryCountLog2 = entryCountLog2
        entries = .allocate(capacity: 1 << entryCountLog2)
        entries.initialize(repeating: Entry(mark: 0, address: 0), count: 1 << entryCountLog2)
    }

    deinit { entries.deallocate() }

    /// A hash of a primary key of a class; never even, as the mark of an empty entry is.
    static func hash(_ classNumber: UInt32, _ primaryKey: UnsafeRawBufferPointer) -> UInt64 {
        primaryKey.tableHash(seed: UInt64(classNumber)) | 1
    }

    /// Where a primary key with this hash led; nil when that is not known.
    func entry(_ hash: UInt64) -> Entry? {
        let entry = entries[Int(hash >> UInt64(64 - entryCountLog2))]
        return entry.mark >> Entry.keyBits == hash & 0xF_FFFF ? entry : nil
    }

    /// Keeps where a primary key led.
    ///
    /// - `place`: Where the row lies.
    func keep(_ key: UInt64, at address: UInt, _ hash: UInt64) {
        guard key >> Entry.keyBits == 0 else { return }
        entries[Int(hash >> UInt64(64 - entryCountLog2))] = Entry(
            mark: (hash & 0xF_FFFF) << Entry.keyBits | key, address: address)
    }
}
