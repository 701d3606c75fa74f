import HoldfastBytes
import HoldfastGeometry
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import HoldfastStorage

/// Reads the object keys of a source, as long as they cost no more than they may.
struct KeyCollector {
    private(set) var transaction: ReadTransaction
    let limits: QueryLimits
    /// The cost that may still be spent, see ``QueryCost``.
    private(set) var costLeft: Int
    /// Entries of indexes, primary keys and inverse links that were read.
    private(set) var entriesRead = 0
    /// The cost of looking up and testing the row of a key, instead of asking one more source that all keys are to have;
    /// nil where no source may be left out.
    private let rowCost: Int?
    /// Whether keys of objects that are hidden may be among them.
    private let hidesSome: Bool
    /// Whether one was left out, so that the rows have to be tested.
    private(set) var hasLeftOut = false

    init(
        _ transaction: ReadTransaction, _ limits: QueryLimits, cost: Int = .max, rowCost: Int? = nil
    ) {
        self.transaction = transaction
        hidesSome = transaction.showsPart
        self.limits = limits
        self.rowCost = rowCost
        costLeft = cost
    }

    /// A look-up by a primary key takes so many steps.
    private static let stepsOfLookUp = 16

    /// Whether there is no room for so many keys and another plan continues. Limits must not reveal hidden objects.
    ///
    /// - Throws: ``StoreError`` `.stopped` where everything is seen.
    private func lacksRoom(for count: Int) throws(StoreError) -> Bool {
        if count <= keyCountMax { return false }
        guard hidesSome else { throw .stopped(.memory) }
        return true
    }

    var keyCountMax: Int { limits.memoryByteCountMax / MemoryLayout<UInt64>.stride }

    /// The object keys of a source, rising, each once; nil when they would cost too much.
    mutating func keys(_ source: PlanSource, of rowClass: RowClass) throws(StoreError) -> [UInt64]?
    {
        switch source {
        case .index(let member, let ranges): return try entries(of: member, ranges, rowClass)
        case .words(let index, let search): return try words(index, search)
        case .points(let index, let region): return try points(index, region)
        case .links(let constraint, let far): return try linked(constraint, far, rowClass)
        case .any(let parts):
            var united: [UInt64] = []
            for part in parts {
                guard let keys = try keys(part, of: rowClass) else { return nil }
                if try lacksRoom(for: united.count + keys.count) { return nil }
                united += keys
            }
            return try risingOnce(united)
        case .all(let parts): return try common(parts, of: rowClass)
        case .unrestricted(let source):
            let shown = transaction
            transaction = shown.unrestricted
            defer { transaction = shown }
            return try keys(source, of: rowClass)
        }
    }

    /// Collects the keys that all of some sources have in common.
    ///
    /// More of each is read until one source ends. Of each other source, entries are read for a quarter of the cost of looking up
    /// the rows that are left by then, if those rows can be tested.
    private mutating func common(
        _ parts: [PlanSource], of rowClass: RowClass
    ) throws(StoreError) -> [UInt64]? {
        var common: [UInt64]?
        var left = parts
        var cost = 4 * QueryCost.always
        while common == nil, costLeft > 0 {
            for (index, part) in left.enumerated() where common == nil {
                common = try keys(part, of: rowClass, cost: cost)
                if common != nil { left.remove(at: index) }
            }
            cost = QueryCost.times(cost, 4)
        }
        guard var common else { return nil }
        for part in left where !common.isEmpty {
            let cost = rowCost.map { QueryCost.times(common.count, $0) / 4 } ?? .max
            if let keys = try keys(part, of: rowClass, cost: cost) {
                common = Self.common(common, keys, within: transaction.budget)
                try transaction.budget.requireNoFailure()
            } else if rowCost != nil, costLeft > 0 {
                hasLeftOut = true
            } else {
                return nil
            }
        }
        return common
    }

    /// The object keys of a source, where they cost no more than this either.
    private mutating func keys(
        _ source: PlanSource, of rowClass: RowClass, cost: Int
    ) throws(StoreError) -> [UInt64]? {
        let costMax = costLeft
        let own = min(costMax, cost)
        costLeft = own
        let keys = try keys(source, of: rowClass)
        costLeft = costMax == .max ? .max : costMax - (own - costLeft)
        return keys
    }

    /// Sorts object keys and keeps each once.
    func risingOnce(_ keys: [UInt64]) throws(StoreError) -> [UInt64] {
        var sorted = try transaction.budget.sorted(keys, by: <)
        var count = 0
        for key in sorted where count == 0 || sorted[count - 1] != key {
            sorted[count] = key
            count += 1
        }
        sorted.removeLast(sorted.count - count)
        return sorted
    }

    /// The keys that two rising lists have in common; not all of them once the budget has failed.
    static func common(_ a: [UInt64], _ b: [UInt64], within budget: Budget) -> [UInt64] {
        var common: [UInt64] = []
        var (i, j) = (0, 0)
        while i < a.count, j < b.count, budget.spend() {
            if a[i] == b[j] {
                common.append(a[i])
                i += 1
                j += 1
            } else if a[i] < b[j] {
                i += 1
            } else {
                j += 1
            }
        }
        return common
    }

    /// Pays; false when there is too little left.
    mutating func pays(_ cost: Int) -> Bool {
        if costLeft == .max { return true }
        costLeft -= cost
        return costLeft >= 0
    }

    /// Pays for a look-up and the entries that it read; false when there is too little left.
    mutating func paysLookUp(entries count: Int) -> Bool {
        entriesRead += count
        return pays(QueryCost.risingRow + count * QueryCost.entry)
    }

    // MARK: Entries

    private mutating func entries(
        of member: Int, _ ranges: [OrderedKeyRange], _ rowClass: RowClass
    ) throws(StoreError) -> [UInt64]? {
        let isPrimary = member == rowClass.primaryKeyIndex
        let entryRanges = ranges.map { rowClass.entries(of: member, in: $0) }
        guard var keys = try entries(entryRanges, isPrimary: isPrimary) else { return nil }
        // Within one value entries stand in the order of object keys.
        if isPrimary || ranges.count > 1 || !ranges.allSatisfy(\.isSingleValue) {
            keys = try transaction.budget.sorted(keys, by: <)
        }
        return keys
    }

    /// The object keys of the entries in some ranges, as they stand there; nil when they would cost too much.
    mutating func entries(_ ranges: [KeyRange], isPrimary: Bool) throws(StoreError) -> [UInt64]? {
        var keys: [UInt64] = []
        var count = 0
        let countMax = costLeft / QueryCost.entry
        let memoryMax = keyCountMax
        let budget = transaction.budget
        keys.reserveCapacity(16)
        var isFull = false
        for range in ranges where count <= countMax && !isFull {
            try transaction.scanEntries(range, expecting: min(countMax, 4096)) {
                (entry, value) throws(StoreError) in
                count += 1
                if count > countMax { return false }
                if keys.count >= memoryMax {
                    isFull = try lacksRoom(for: keys.count + 1)
                    return false
                }
                try budget.require()
                if !isPrimary {
                    keys.append(StoreKey.trailingObjectKey(entry))
                } else if let key = StoreKey.mappedObjectKey(value) {
                    keys.append(key)
                }
                return true
            }
        }
        entriesRead += count
        return pays(count * QueryCost.entry) && !isFull ? keys : nil
    }

    // MARK: Links

    private mutating func linked(
        _ constraint: LinkConstraint, _ far: Plan?, _ rowClass: RowClass
    ) throws(StoreError) -> [UInt64]? {
        let step = constraint.link
        let targets: [UInt64]
        switch constraint.far {
        case .objects(let links):
            targets = try risingOnce(
                links.compactMap {
                    transaction.budget.spend(Self.stepsOfLookUp) ? object($0, step.toClass) : nil
                })
            try transaction.budget.requireNoFailure()
        case .matching(let predicate):
            guard let found = try matching(predicate, far, step.toClass) else { return nil }
            targets = found
        }
        var keys: [UInt64] = []
        for target in targets {
            try transaction.budget.require(Self.stepsOfLookUp)
            let isWhole =
                step.kind == .inverse
                ? try appendTargets(of: target, step, to: &keys)
                : try appendOrigins(of: target, step, rowClass, to: &keys)
            guard isWhole else { return nil }
            if try lacksRoom(for: keys.count + 1) { return nil }
        }
        return try risingOnce(keys)
    }

    /// The objects at the far side of a link, by their own plan; nil when they would cost too much.
    private mutating func matching(
        _ predicate: Predicate, _ far: Plan?, _ classIndex: Int
    ) throws(StoreError) -> [UInt64]? {
        let query = ObjectQuery(classIndex: classIndex, predicate: predicate)
        let plan = far ?? .scan(query)
        if plan.residual == nil, let source = plan.source {
            if let keys = plan.keys { return keys }
            return try keys(source, of: transaction.rows.classes[classIndex])
        }
        let execution = QueryExecution(query, plan: plan, in: transaction, limits: limits)
        var found: [UInt64] = []
        let countMax = keyCountMax
        let isWhole = try execution.runOnly(cost: costLeft) { key, _ in
            found.append(key)
            return found.count < countMax
        }
        entriesRead += execution.statistics.entriesRead
        guard pays(execution.costSpent), isWhole else { return nil }
        if try lacksRoom(for: found.count + 1) { return nil }
        return try transaction.budget.sorted(found, by: <)
    }

    /// The object key of an object that the query names; nil if it does not exist.
    private func object(_ link: Value, _ classIndex: Int) -> UInt64? {
        guard case .link(_, let key) = link else { return nil }
        let object = ObjectConstant(rowClass: transaction.rows.classes[classIndex], key: key)
        object.bind(to: transaction)
        return object.key
    }

    /// The objects that link to a target: the objects of the class, or the owners of embedded objects that link to it.
    private mutating func appendOrigins(
        of target: UInt64, _ step: PathStep, _ rowClass: RowClass, to keys: inout [UInt64]
    ) throws(StoreError) -> Bool {
        let property = transaction.rows.classes[step.fromClass].members[step.member].number
        let countMax = costLeft / QueryCost.entry
        let memoryMax = keyCountMax
        var count = 0
        try transaction.checked { () throws(StoreError) in
            transaction.scanOrigins(step.toClass, target, property: property) { origin, _, _ in
                count += 1
                if origin.classIndex == rowClass.index { keys.append(origin.key) }
                return count <= countMax && keys.count < memoryMax
            }
        }
        return paysLookUp(entries: count)
    }

    /// The objects that an object links to.
    private mutating func appendTargets(
        of origin: UInt64, _ step: PathStep, to keys: inout [UInt64]
    ) throws(StoreError) -> Bool {
        let rowClass = transaction.rows.classes[step.toClass]
        guard let row = try transaction.find(rowClass, key: origin) else { return true }
        let countBefore = keys.count
        if rowClass.members[step.member].storage.shape == .single {
            let field = rowClass.field(step.member, in: row)
            if !field.isNull { keys.append(field.load(UInt64.self)) }
        } else {
            let countMax = keyCountMax
            rowClass.collection(step.member, in: row, transaction)
                .forEach(within: transaction.budget) { links, place, _ in
                    if !links.isNull(place) { keys.append(links.pointer(place).storedLink) }
                    return keys.count < countMax
                }
            try transaction.budget.requireNoFailure()
        }
        return pays(QueryCost.risingRow + (keys.count - countBefore) * QueryCost.entry)
    }
}

extension KeyCollector {
    /// The keys of the objects with points in the cells that cover a region, rising; nil if they would cost too much.
    ///
    /// Cells that are close to a region take as long to find as hundreds of entries take to be read. Where that may
    /// not be spent there are a few large ones, which are enough where few points lie anywhere near.
    mutating func points(
        _ index: SearchIndex, _ region: GeoRegion
    ) throws(StoreError) -> [UInt64]? {
        let isClose = costLeft >= QueryCost.cover + QueryCost.always / 2
        // A cover looks at no clock itself, and takes some hundred microseconds.
        try transaction.budget.require(Budget.stepsUnseen)
        let cells = isClose ? region.cover() : region.roughCover()
        guard pays(isClose ? QueryCost.cover : cells.count * QueryCost.risingRow) else {
            return nil
        }
        let ranges = cells.map { cells in
            let upper = Self.key(index, cells.upperBound)
            return KeyRange(
                lower: Self.key(index, cells.lowerBound),
                upper: KeyRange.successor(ofPrefix: upper))
        }
        guard let keys = try entries(ranges, isPrimary: false) else { return nil }
        return try transaction.budget.sorted(keys, by: <)
    }

    private static func key(_ index: SearchIndex, _ cell: UInt64) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 16)
        IndexEntry.append(index, cell: cell, to: buffer)
        return buffer.array
    }
}
