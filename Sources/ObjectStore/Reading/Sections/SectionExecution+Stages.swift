import HoldfastBytes
import HoldfastQuery
import HoldfastRows

// Sections of a result that is computed as a whole, for a filter's own SORT, DISTINCT and LIMIT.
extension SectionExecution {
    /// The page behind the last section of the one before; where that is gone, at its number.
    func run(_ stages: StagedQuery) throws(StoreError) -> SectionPage {
        let (keys, execution) = try stages.run(
            in: transaction, limits: limits, isTimed: isTimed)
        defer { account(execution) }
        let buffer = ByteBuffer(capacity: 128)
        var sectionIndexes: [[UInt8]: Int] = [:]
        var found: [(bytes: [UInt8], count: Int, shown: [UInt64])] = []
        var byteCount = 0
        try execution.forEach(keys) { key, row in
            buffer.removeAll()
            reader.append(row: row, key: key, source: transaction, to: buffer)
            let bytes = buffer.array
            let sectionIndex = sectionIndexes[bytes] ?? found.count
            if sectionIndex == found.count {
                sectionIndexes[bytes] = sectionIndex
                found.append((bytes, 0, []))
                byteCount += 2 * bytes.count + 160
            }
            found[sectionIndex].count += 1
            if found[sectionIndex].shown.count < max(1, query.objectCountMax) {
                found[sectionIndex].shown.append(key)
                byteCount += MemoryLayout<UInt64>.size
            }
            return byteCount <= limits.memoryByteCountMax
        }
        if byteCount > limits.memoryByteCountMax { throw .stopped(.memory) }
        var start = 0
        if let after = query.after {
            start =
                sectionIndexes[after.sortBytes].map { $0 + 1 }
                ?? min(found.count, query.countBefore)
        }
        let end = min(found.count, start + query.sectionCountMax)
        var page = SectionPage()
        page.hasMore = end < found.count
        if query.countsAll { page.total = found.count }
        for group in found[start..<end] {
            let objects = try execution.objects(group.shown)
            guard let first = objects.first else { continue }
            page.sections.append(
                Section(
                    any: first, count: group.count, objects: objects,
                    position: QueryPosition(sortBytes: group.bytes, key: first.key)))
        }
        return page
    }
}
