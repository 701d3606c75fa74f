import HoldfastBytes
import HoldfastStorage

extension BackupReader {
    /// The bytes after which what was read becomes a commit of the engine.
    private static let commitByteCount = 64 << 20

    /// Reads all of the backup and keeps nothing: an error says what is wrong with it.
    ///
    /// - `progress`: Told now and then how many bytes were read.
    package func verify(_ progress: (Int) -> Void = { _ in }) throws(BackupFault) {
        while try nextBlock() != nil { progress(byteCount) }
    }

    /// Puts the content of the backup into an empty engine, in several commits; the engine must have no other
    /// user until all of them are made.
    ///
    /// The store gets a new epoch, so that cursors and ETags of the one that was backed up are told
    /// from its own.
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
            } catch {
                throw .storage(error)
            }
            progress(byteCount)
        }
        do throws(StorageError) {
            _ = try transaction?.commitAll()
        } catch {
            throw .storage(error)
        }
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
        } catch {
            throw .storage(error)
        }
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
