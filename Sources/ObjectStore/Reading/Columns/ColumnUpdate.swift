import HoldfastQuery
import HoldfastRows

/// Makes columns of a class as of one snapshot: from others and the rows that differ, or from all rows.
struct ColumnUpdate {
    let transaction: ReadTransaction
    let rowClass: RowClass
    let meter: ColumnMeter

    private func builder(_ member: Int) -> ColumnChunkBuilder? {
        if member < 0 { return ColumnChunkBuilder(.presence, member: member, meter: meter) }
        return ColumnForm(rowClass.members[member].storage).map {
            ColumnChunkBuilder($0, member: member, meter: meter)
        }
    }

    // MARK: From other versions

    /// The snapshot's versions of columns.
    ///
    /// - `changedKeys`: The keys of objects that may differ, rising.
    func versions(
        _ present: [Int: ColumnStore.Version], _ changedKeys: [UInt64]
    ) throws(StoreError) -> [Int: ColumnStore.Version] {
        guard !changedKeys.isEmpty else {
            return present.mapValues { version in
                var version = version
                version.commit = max(version.commit, transaction.commit)
                return version
            }
        }
        var rows: [(key: UInt64, row: RowView?)] = []
        rows.reserveCapacity(changedKeys.count)
        for key in changedKeys { rows.append((key, try transaction.find(rowClass, key: key))) }
        var made: [Int: ColumnStore.Version] = [:]
        for (member, version) in present {
            var chunks = version.chunks
            if let builder = builder(member) { update(&chunks, builder, rows) }
            made[member] = ColumnStore.Version(commit: transaction.commit, chunks: chunks)
        }
        return made
    }

    private func update(
        _ chunks: inout [ColumnChunk?], _ builder: ColumnChunkBuilder,
        _ rows: [(key: UInt64, row: RowView?)]
    ) {
        var start = 0
        while start < rows.count {
            let index = Int(rows[start].key >> UInt64(ColumnChunk.keyCountLog2))
            var end = start
            var isChanged = false
            while end < rows.count, Int(rows[end].key >> UInt64(ColumnChunk.keyCountLog2)) == index
            {
                let position = Self.position(rows[end].key)
                if let chunk = index < chunks.count ? chunks[index] : nil {
                    isChanged =
                        isChanged
                        || !builder.isPresent(rows[end].row, rowClass, at: position, in: chunk)
                } else {
                    isChanged = isChanged || rows[end].row != nil
                }
                end += 1
            }
            defer { start = end }
            guard isChanged else { continue }
            while chunks.count <= index { chunks.append(nil) }
            chunks[index] = replace(rows[start..<end], in: chunks[index], builder)
        }
    }

    private static func position(_ key: UInt64) -> Int {
        Int(key & UInt64(ColumnChunk.keyCount - 1))
    }

    private func replace(
        _ rows: ArraySlice<(key: UInt64, row: RowView?)>, in chunk: ColumnChunk?,
        _ builder: ColumnChunkBuilder
    ) -> ColumnChunk {
        for (key, row) in rows {
            let position = Self.position(key)
            copy(chunk, to: position, builder)
            if let row { builder.append(row, rowClass) } else { builder.fill(to: position + 1) }
        }
        copy(chunk, to: ColumnChunk.keyCount, builder)
        return builder.seal()
    }

    private func copy(_ chunk: ColumnChunk?, to position: Int, _ builder: ColumnChunkBuilder) {
        if let chunk {
            while builder.count < position { builder.append(from: chunk) }
        } else {
            builder.fill(to: position)
        }
    }

    // MARK: From all rows

    /// How a build ended.
    enum Outcome {
        case built([Int: ColumnStore.Version])
        /// There is no room for the columns.
        case tooLarge
        /// Nothing was built for another reason: there are too few objects or too many, or the time is over.
        case stopped
    }

    /// Builds columns from a scan of the rows.
    ///
    /// - `objectCounts`: How many objects the class has to have.
    /// - `hasRoom`: Asked with each run of chunks.
    func build(
        _ members: [Int], objectCounts: ClosedRange<Int>, hasRoom: () -> Bool
    ) throws(StoreError) -> Outcome {
        let state = try transaction.classState(rowClass)
        guard objectCounts.contains(Int(state.count)) else { return .stopped }
        // Keys of objects that are gone take room too.
        guard state.nextKey < 1 << 16 || state.nextKey / 8 <= state.count else { return .tooLarge }
        let builders = members.compactMap { member in builder(member).map { (member, $0) } }
        var chunks = [[ColumnChunk?]](repeating: [], count: builders.count)
        var index = 0
        var end: Outcome?
        func seal(upTo next: Int) -> Bool {
            for index in builders.indices {
                chunks[index].append(builders[index].1.seal())
                while chunks[index].count < next { chunks[index].append(nil) }
            }
            index = next
            if !hasRoom() {
                end = .tooLarge
            } else if !transaction.budget.checkLimits() {
                end = .stopped
            }
            return end == nil
        }
        try transaction.scan(rowClass) { key, row in
            let own = Int(key >> UInt64(ColumnChunk.keyCountLog2))
            if own != index {
                if chunks.first?.isEmpty ?? true, builders.allSatisfy({ $0.1.count == 0 }) {
                    // Nothing came before.
                    for index in chunks.indices {
                        chunks[index] = [ColumnChunk?](repeating: nil, count: own)
                    }
                    index = own
                } else if !seal(upTo: own) {
                    return false
                }
            }
            let position = Self.position(key)
            for (_, builder) in builders {
                builder.fill(to: position)
                builder.append(row, rowClass)
            }
            return true
        }
        if let end { return end }
        if builders.contains(where: { $0.1.count > 0 }), !seal(upTo: index + 1), let end {
            return end
        }
        var versions: [Int: ColumnStore.Version] = [:]
        for (index, (member, _)) in builders.enumerated() {
            versions[member] = ColumnStore.Version(
                commit: transaction.commit, chunks: chunks[index])
        }
        return .built(versions)
    }
}
