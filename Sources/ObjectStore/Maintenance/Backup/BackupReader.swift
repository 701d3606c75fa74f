import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// Reads a backup from its beginning to its end and refuses a cut or damaged one, or one of another format;
/// see ``BackupFormat``. Memory: one block. One thread at a time.
package final class BackupReader {
    /// Fills a buffer with the next bytes, and returns how many there were; 0 at the end.
    package typealias Source = (UnsafeMutableRawBufferPointer) throws(BackupFault) -> Int

    private let source: Source
    private let buffer = ByteBuffer(capacity: BackupFormat.blockByteCount + (64 << 10))
    private let checksums = ByteBuffer(capacity: 4096)
    private var lastKey: [UInt8] = []
    package private(set) var byteCount = 0
    /// The number of entries read.
    package private(set) var entryCount: UInt64 = 0
    /// The backup's description of itself.
    package private(set) var description = BackupDescription(
        version: StoreVersion(epoch: 0, number: 0), seconds: 0, storeFormat: 0)

    package init(_ source: @escaping Source) throws(BackupFault) {
        self.source = source
        let isWhole: Bool
        do throws(BackupFault) {
            try read(BackupFormat.headerByteCount)
            isWhole = true
        } catch {
            guard error == .cut else { throw error }
            isWhole = false
        }
        guard buffer.bytes.prefix(8).elementsEqual(BackupFormat.magic) else { throw .noBackup }
        guard isWhole else { throw .cut }
        let version = number(at: 8, UInt32.self)
        guard version == BackupFormat.version else { throw .unknownFormat(version) }
        try requireChecksum(of: 40, offset: 0)
        description = BackupDescription(
            version: StoreVersion(
                epoch: number(at: 16, UInt64.self), number: number(at: 24, UInt64.self)),
            seconds: Int64(bitPattern: number(at: 32, UInt64.self)),
            storeFormat: number(at: 12, UInt32.self))
        guard StoreFormat.readable.contains(description.storeFormat) else {
            throw .unknownFormat(description.storeFormat)
        }
    }

    /// Reads the entries of the next block, in ascending order of their keys, valid until the next call; nil behind the last one.
    package func nextBlock() throws(BackupFault) -> [StorageBatch.Change]? {
        let offset = byteCount
        try read(4)
        let count = Int(number(at: 0, UInt32.self))
        guard count > 0 else {
            try readEnd(offset)
            return nil
        }
        guard count <= BackupFormat.blockByteCountMax else { throw .damaged(offset: offset) }
        try readMore(count + BackupFormat.checksumByteCount)
        try requireChecksum(of: 4 + count, offset: offset)
        checksums.append(UnsafeRawBufferPointer(rebasing: buffer.bytes[(4 + count)...]))
        return try entries(UnsafeRawBufferPointer(rebasing: buffer.bytes[4..<(4 + count)]), offset)
    }

    private func entries(
        _ payload: UnsafeRawBufferPointer, _ offset: Int
    ) throws(BackupFault) -> [StorageBatch.Change] {
        var changes: [StorageBatch.Change] = []
        var position = 0
        while position < payload.count {
            guard payload.count - position >= 8 else { throw .damaged(offset: offset) }
            let keyCount = Int(
                payload.loadUnaligned(fromByteOffset: position, as: UInt32.self).littleEndian)
            let valueCount = Int(
                payload.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self).littleEndian)
            position += 8
            guard keyCount > 0, keyCount + valueCount <= payload.count - position else {
                throw .damaged(offset: offset)
            }
            let key = UnsafeRawBufferPointer(rebasing: payload[position..<(position + keyCount)])
            position += keyCount
            let value = payload[position..<(position + valueCount)]
            position += valueCount
            let order =
                changes.last.map { compareKeys($0.key, key) }
                ?? lastKey.withUnsafeBytes { compareKeys($0, key) }
            guard order < 0 else { throw .damaged(offset: offset) }
            changes.append(
                StorageBatch.Change(key: key, value: UnsafeRawBufferPointer(rebasing: value)))
        }
        guard let last = changes.last else { throw .damaged(offset: offset) }
        lastKey = Array(last.key)
        entryCount += UInt64(changes.count)
        return changes
    }

    private func readEnd(_ offset: Int) throws(BackupFault) {
        try readMore(8 + BackupFormat.checksumByteCount)
        checksums.append(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<12]))
        let hash = SipHash128.hash(checksums.bytes)
        guard number(at: 4, UInt64.self) == entryCount,
            number(at: 12, UInt64.self) == hash.low, number(at: 20, UInt64.self) == hash.high
        else { throw .damaged(offset: offset) }
        // Nothing follows.
        do throws(BackupFault) { try readMore(1) } catch {
            if error == .cut { return }
            throw error
        }
        throw .damaged(offset: byteCount - 1)
    }

    private func requireChecksum(of count: Int, offset: Int) throws(BackupFault) {
        let hash = SipHash128.hash(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
        guard number(at: count, UInt64.self) == hash.low,
            number(at: count + 8, UInt64.self) == hash.high
        else { throw .damaged(offset: offset) }
    }

    private func number<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, _ type: Number.Type
    ) -> Number {
        Number(littleEndian: buffer.bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }

    private func read(_ count: Int) throws(BackupFault) {
        buffer.removeAll()
        try readMore(count)
    }

    /// Reads more bytes into the buffer. It grows as the bytes come, so that a damaged length takes no memory.
    private func readMore(_ count: Int) throws(BackupFault) {
        var missing = count
        while missing > 0 {
            let start = buffer.count
            let wanted = min(missing, 1 << 20)
            buffer.appendZeros(wanted)
            let got = try source(
                UnsafeMutableRawBufferPointer(start: buffer.base + start, count: wanted))
            buffer.truncate(to: start + got)
            guard got > 0 else { throw .cut }
            byteCount += got
            missing -= got
        }
    }
}

extension BackupReader {
    /// The bytes after which read entries become a commit of the engine.
    private static let commitByteCount = 64 << 20

    /// Reads all of the backup and keeps nothing: an error names its fault.
    ///
    /// - `progress`: Told now and then how many bytes were read.
    package func verify(_ progress: (Int) -> Void = { _ in }) throws(BackupFault) {
        while try nextBlock() != nil { progress(byteCount) }
    }

    /// Puts the content of the backup into an empty engine, in several commits; the engine must have no other
    /// user until all of them are made.
    ///
    /// The store gets a new epoch, so that cursors and ETags of the one that was backed up are told from its own.
    /// - `progress`: Told now and then how many bytes were read.
    package func restore(
        into engine: any StorageEngine, _ progress: (Int) -> Void = { _ in }
    ) throws(BackupFault) {
        try requireEmpty(engine)
        let state = ByteBuffer()
        var transaction: (any StorageWriteTransaction)?
        defer { transaction?.close() }
        var committed = byteCount
        while var changes = try nextBlock() {
            try renewEpoch(&changes, state)
            do throws(StorageError) {
                if transaction == nil { transaction = try Self.beginWrite(engine) }
                try transaction?.apply(StorageBatch(changes: changes))
                if byteCount - committed >= Self.commitByteCount {
                    _ = try transaction?.commitAll()
                    transaction = nil
                    committed = byteCount
                }
            } catch { throw .storage(error) }
            progress(byteCount)
        }
        do throws(StorageError) { _ = try transaction?.commitAll() } catch { throw .storage(error) }
    }

    private static func beginWrite(
        _ engine: any StorageEngine
    ) throws(StorageError) -> any StorageWriteTransaction {
        let snapshot = try engine.snapshot()
        let base = snapshot.commit
        snapshot.close()
        return try engine.beginWrite(base: base)
    }

    private func requireEmpty(_ engine: any StorageEngine) throws(BackupFault) {
        let isEmpty: Bool
        do throws(StorageError) {
            let snapshot = try engine.snapshot()
            defer { snapshot.close() }
            isEmpty = try snapshot.isEmpty()
        } catch { throw .storage(error) }
        if !isEmpty { throw .notEmpty }
    }

    /// Replaces the state, if it is among the changes, by one of another epoch, in `buffer`.
    private func renewEpoch(
        _ changes: inout [StorageBatch.Change], _ buffer: ByteBuffer
    ) throws(BackupFault) {
        for index in changes.indices where changes[index].key.elementsEqual(StoreKey.state) {
            guard var state = changes[index].value.flatMap({ StoreState($0) }) else {
                throw .damaged(offset: byteCount)
            }
            state.takeNewEpoch()
            changes[index] = StorageBatch.Change(
                key: changes[index].key, value: buffer.making { state.append(to: $0) })
        }
    }
}

/// Why a backup can't be read or restored.
package enum BackupFault: Error, Equatable {
    /// It is something else.
    case noBackup
    /// It has a form, or holds a store of a format, that this program does not know.
    case unknownFormat(UInt32)
    /// It ends too early.
    case cut
    /// The bytes at this offset are not the written ones.
    case damaged(offset: Int)
    /// Reading it failed.
    case reading(errno: Int32)
    /// The engine it should go to has something already.
    case notEmpty
    /// Writing its entries failed.
    case storage(StorageError)
}
