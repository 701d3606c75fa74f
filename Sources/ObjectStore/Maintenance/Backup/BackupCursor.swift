import HoldfastBytes
import HoldfastObjectModel
import HoldfastStorage
import HoldfastThreads

/// Makes a backup piece by piece, all from one snapshot; see ``BackupFormat``.
///
/// Writes go on meanwhile. While it is open the engine can't use pages again that were freed since, so its file grows by later
/// writes. Memory: one block, or one entry if that is longer. One thread at a time.
package final class BackupCursor {
    /// The backup's description of itself.
    package let description: BackupDescription
    private let snapshot: any StorageSnapshot
    private let hold: Lease
    private let buffer = ByteBuffer(capacity: BackupFormat.blockByteCount + (64 << 10))
    /// The checksums of the blocks so far.
    private let checksums = ByteBuffer(capacity: 4096)
    private var lastKey: [UInt8]?
    private var entryCount: UInt64 = 0

    private enum Step { case header, blocks, end, done }
    private var step = Step.header

    /// Takes a snapshot, and keeps its version readable.
    init(_ engine: any StorageEngine, _ retainedVersions: RetainedVersions) throws(StoreError) {
        do throws(StorageError) {
            let snapshot = try engine.snapshot()
            guard let state = try snapshot.value(StoreKey.state).flatMap({ StoreState($0) }),
                let format = try snapshot.value(StoreKey.format).flatMap({ StoreFormat.decode($0) })
            else {
                snapshot.close()
                throw StorageError(.corrupted, operation: "back up")
            }
            self.snapshot = snapshot
            hold = retainedVersions.hold(snapshot.commit, .backup)
            description = BackupDescription(
                version: StoreVersion(epoch: state.epoch, number: state.version),
                seconds: Timestamp.now().seconds, storeFormat: format)
        } catch { throw .storage(error) }
    }

    deinit { snapshot.close() }

    /// Reads the next bytes, valid until the next call; empty at the end.
    package func next() throws(StoreError) -> UnsafeRawBufferPointer {
        buffer.removeAll()
        switch step {
        case .header:
            writeHeader()
            step = .blocks
        case .blocks:
            try writeBlock()
            if buffer.count == 0 { writeEnd() }
        case .end: writeEnd()
        case .done: break
        }
        return buffer.bytes
    }

    private func writeHeader() {
        buffer.append(BackupFormat.magic)
        buffer.append(little: BackupFormat.version)
        buffer.append(little: description.storeFormat)
        buffer.append(little: description.version.epoch)
        buffer.append(little: description.version.number)
        buffer.append(little: UInt64(bitPattern: description.seconds))
        BackupFormat.appendChecksum(of: buffer.bytes, to: buffer)
    }

    private func writeBlock() throws(StoreError) {
        // Its length comes last.
        buffer.append(little: UInt32(0))
        let range = KeyRange(lower: lastKey.map { $0 + [0] } ?? [], upper: nil)
        var last: [UInt8]?
        try snapshot.walk(range, expecting: 4096) { key, value in
            buffer.append(little: UInt32(key.count))
            buffer.append(little: UInt32(value.count))
            buffer.append(key)
            buffer.append(value)
            entryCount += 1
            guard buffer.count >= BackupFormat.blockByteCount else { return true }
            last = Array(key)
            return false
        }
        guard buffer.count > 4 else { return buffer.removeAll() }
        lastKey = last
        // A block that was not filled is the last one.
        if last == nil { step = .end }
        buffer.store(UInt32(buffer.count - 4).littleEndian, at: 0)
        let start = buffer.count
        BackupFormat.appendChecksum(of: buffer.bytes, to: buffer)
        checksums.append(UnsafeRawBufferPointer(rebasing: buffer.bytes[start...]))
    }

    private func writeEnd() {
        buffer.append(little: UInt32(0))
        buffer.append(little: entryCount)
        checksums.append(buffer.bytes)
        BackupFormat.appendChecksum(of: checksums.bytes, to: buffer)
        step = .done
    }

    package func close() { snapshot.close() }
}

/// A backup's description of itself.
package struct BackupDescription: Sendable, Equatable {
    /// The version of the store when the backup was begun; its epoch is that of the store it was made of.
    package var version: StoreVersion
    /// When that was, in seconds since 1970.
    package var seconds: Int64
    /// The version of the content under the keys, see ``StoreFormat``.
    var storeFormat: UInt32
}
