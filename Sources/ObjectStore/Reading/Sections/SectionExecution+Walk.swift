import HoldfastBytes
import HoldfastQuery
import HoldfastRows

// Sections along an index, or the primary keys.
extension SectionExecution {
    /// The sections that were found so far.
    private struct Walked {
        var page = SectionPage()
        /// The beginning of the value in each entry of the last section.
        var beginning: [UInt8] = []
        /// The objects of the last section, where entries do not stand in their order.
        var shown: PageHeap?
        var byteCount = 0

        /// Whether an entry's value belongs to the last section.
        func holds(_ value: UnsafeRawBufferPointer) -> Bool {
            !page.sections.isEmpty && value.starts(with: beginning)
        }
    }

    /// The page, along an index in the order of the keys; nil if there is no such index, or if it turns out to cost more than
    /// reading all objects.
    func walk() throws(StoreError) -> SectionPage? {
        var ordered = ObjectQuery(
            classIndex: query.classIndex, predicate: query.predicate,
            sort: Array(query.sort.prefix(1)))
        ordered.after = query.after.map(start)
        // Entries are of objects that may not be shown.
        guard transaction.visibility(on: ordered) == nil else { return nil }
        let planner = Planner(ordered, transaction, limits)
        guard query.predicate != .constant(false), let own = planner.own(),
            let plan = planner.naturalPlan(own, query.predicate)
        else { return nil }
        let total = try transaction.count(rowClass)
        let execution = QueryExecution(ordered, plan: plan, in: transaction, limits: limits)
        execution.isTimed = isTimed
        defer { account(execution) }
        // As in the plan of a list, a walk is given up when it costs a part of a scan; entries alone are as cheap as that.
        let scanCost = QueryCost.times(total, QueryCost.scannedRow)
        let costMax = plan.residual == nil ? 2 * scanCost : scanCost / 20
        return try walkEntries(execution, costMax: 2 * QueryCost.always + costMax)
    }

    /// Where the entries behind a section begin.
    private func start(behind section: QueryPosition) -> QueryPosition {
        var start = section
        let isAscending = query.sort.first?.isAscending ?? true
        if query.key.prefixCount != nil {
            let beginning = reader.beginning(of: section.sortBytes)
            let isOpen = beginning.count < section.sortBytes.count
            // No text has this byte: behind all texts with the beginning.
            if isAscending, isOpen { start.sortBytes = beginning + [0xFF] }
        }
        // Of a text that was cut there may be others, which are distinguished by rows.
        if start.sortBytes.count <= OrderedKey.textByteCountMax { start.key = .max }
        return start
    }

    // MARK: Entries

    private func walkEntries(
        _ execution: QueryExecution, costMax: Int
    ) throws(StoreError) -> SectionPage? {
        guard case .natural(let reversed) = execution.plan.order else { return nil }
        // All objects of a section have to be compared, or its first objects are the first of the order.
        let showsAll = query.sort.count > 1 && query.knownObjectCountMax > 0
        let testsRows = execution.plan.residual != nil
        let buffer = ByteBuffer(capacity: 128)
        var walked = Walked()
        var cost = 0
        var isDone = true
        try execution.forEachEntry(reversed: reversed) { (entry, key) throws(StoreError) in
            cost += QueryCost.entry
            // Texts that share a cut beginning stand in no order: their rows have to be read.
            guard cost + execution.costSpent <= costMax, !QueryExecution.isCut(entry) else {
                isDone = false
                return false
            }
            // Behind the number of the index.
            let value = UnsafeRawBufferPointer(rebasing: entry.dropFirst(5))
            let isKnown = walked.holds(value)
            let last = walked.page.sections.count - 1
            if isKnown, !testsRows {
                walked.page.sections[last].count += 1
                guard
                    showsAll || walked.page.sections[last].objects.count < query.knownObjectCountMax
                else { return true }
            }
            cost += QueryCost.anyRow
            guard let row = try execution.fetch(key), execution.testPaying(key, row) else {
                return true
            }
            if isKnown {
                if testsRows { walked.page.sections[last].count += 1 }
            } else {
                buffer.removeAll()
                reader.append(row: row, key: key, source: transaction, to: buffer)
                if query.after?.sortBytes.elementsEqual(buffer.bytes) ?? false { return true }
                guard try begin(buffer.array, key, row, execution, &walked) else { return false }
            }
            show(key, row, &walked)
            return walked.byteCount <= limits.memoryByteCountMax
        }
        guard isDone else { return nil }
        return try transaction.checked { () throws(StoreError) in try finish(execution, &walked) }
    }

    // MARK: Sections

    /// Begins a section; false when no more are wanted.
    private func begin(
        _ bytes: [UInt8], _ key: UInt64, _ row: RowView, _ execution: QueryExecution,
        _ walked: inout Walked
    ) throws(StoreError) -> Bool {
        try endObjects(execution, &walked)
        guard walked.page.sections.count < query.sectionCountMax else {
            walked.page.hasMore = true
            return false
        }
        walked.beginning = reader.beginning(of: bytes)
        walked.byteCount += bytes.count + MemoryLayout<Section>.size + 64
        walked.page.sections.append(
            Section(any: (key, row), count: 1, position: QueryPosition(sortBytes: bytes, key: key)))
        if query.sort.count > 1, query.knownObjectCountMax > 0 {
            walked.shown = PageHeap(
                countMax: query.knownObjectCountMax, byteCountMax: limits.memoryByteCountMax)
        }
        return true
    }

    /// Keeps an object of the last section if it is among the first.
    private func show(_ key: UInt64, _ row: RowView, _ walked: inout Walked) {
        let last = walked.page.sections.count - 1
        guard query.sort.count > 1 else {
            guard walked.page.sections[last].objects.count < query.knownObjectCountMax else {
                return
            }
            walked.page.sections[last].objects.append((key, row))
            walked.byteCount += MemoryLayout<(UInt64, RowView)>.stride
            return
        }
        guard query.knownObjectCountMax > 0 else { return }
        sortBuffer.removeAll()
        order.append(key, row, to: sortBuffer)
        _ = walked.shown?.insert(sortBuffer.bytes, key, by: order)
    }

    /// Gives the last section its objects, where they did not come in order.
    private func endObjects(
        _ execution: QueryExecution, _ walked: inout Walked
    ) throws(StoreError) {
        guard let shown = walked.shown, !walked.page.sections.isEmpty else { return }
        let last = walked.page.sections.count - 1
        walked.page.sections[last].objects = try execution.objects(shown.sortedKeys(by: order))
        walked.byteCount += shown.byteCount
        walked.shown = nil
    }

    private func finish(
        _ execution: QueryExecution, _ walked: inout Walked
    ) throws(StoreError) -> SectionPage {
        try endObjects(execution, &walked)
        guard walked.byteCount <= limits.memoryByteCountMax else { throw .stopped(.memory) }
        if let last = walked.page.sections.indices.last {
            // With the whole text, where it is cut.
            walked.page.sections[last].position = position(
                of: walked.page.sections[last].any, in: keyOrder ?? order)
        }
        return walked.page
    }
}

/// The objects of a result that have one key in common. Its rows are valid as long as the view is open.
package struct Section {
    /// One of the objects, which has the key as it is written.
    package internal(set) var any: (key: UInt64, row: RowView)
    /// How many objects there are.
    package internal(set) var count = 0
    /// The first of them, in the order of the result.
    package internal(set) var objects: [(key: UInt64, row: RowView)] = []
    /// Where it stands: pages go on behind it.
    package internal(set) var position: QueryPosition
}

/// A page of sections.
package struct SectionPage {
    /// The sections in order.
    package internal(set) var sections: [Section] = []
    /// Whether more come behind them.
    package internal(set) var hasMore = false
    /// How many there are in all, if that was asked for.
    package internal(set) var total: Int?
}
