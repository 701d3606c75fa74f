import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import Synchronization

/// The elements of a class or a collection that meet a condition, in their order: the common part of `Results` of any element.
///
/// They are found when they are first asked for, and again after the view has changed.
final class ResultsCore {
    let realm: RealmCore
    let base: ResultsBase
    let parts: QueryParts
    private let era: UInt
    /// The elements as they were last found. Behind a lock, because several threads read frozen results at once.
    private let found = Mutex<Found?>(nil)

    /// The elements that were found, under a generation of the view.
    struct Found: @unchecked Sendable {
        // Unchecked for the addresses of rows, which stay as they are as long as the generation does.
        var generation: UInt64
        /// The object keys; of values and embedded objects the positions in their collection.
        var keys: [UInt64]
        /// The objects' rows, if they were available and do not move. A write moves them.
        var rows: [UnsafeRawPointer]?
    }

    /// - `era`: That of the results which these are taken from; nil for the realm's own.
    init(
        _ realm: RealmCore, _ base: ResultsBase, _ parts: QueryParts = QueryParts(),
        era: UInt? = nil
    ) {
        self.realm = realm
        self.base = base
        self.parts = parts
        self.era = era ?? realm.era
    }

    /// Whether the realm has been invalidated after the results were made.
    var isInvalidated: Bool {
        realm.checkThread()
        return realm.era != era
    }

    convenience init(_ realm: RealmCore, _ binding: ClassBinding, _ parts: QueryParts) {
        self.init(realm, .all(binding.model), parts)
    }

    /// The class of the objects. Ends the process for values.
    var binding: ClassBinding {
        switch base {
        case .all(let model): realm.binding(of: model.type)
        case .links(let place), .elements(let place):
            realm.binding(ofClass: place.compiled.classIndex)
        case .origins(let place): place.binding
        }
    }

    /// The root of conditions and orders.
    var root: QueryRoot {
        if case .elements(let place) = base, let scalar = place.scalar { return .values(scalar) }
        return .objects(classIndex: binding.rowClass.index)
    }

    /// Whether ``Found/keys`` are object keys.
    var hasObjectKeys: Bool {
        switch base {
        case .all, .links: true
        case .elements: false
        case .origins(let place): !place.isOfEmbedded
        }
    }

    /// Whether a key is that of a null instead of an object.
    func isNull(_ key: UInt64) -> Bool { hasObjectKeys && key == ResultsBase.null }

    var limits: QueryLimits { QueryLimits(memoryByteCountMax: .max) }

    var keys: [UInt64] { objects.keys }

    /// The elements. They are found again if the view has changed.
    var objects: Found {
        if isInvalidated || base.isInvalidated { return Found(generation: 0, keys: []) }
        let view = realm.view
        if let present { return present }
        var objects = Found(generation: realm.state.pointee.generation, keys: [])
        do throws(StoreError) {
            if case .all = base {
                if isWhole, !realm.isInWrite {
                    objects = try inOrder(view, objects.generation)
                } else {
                    objects.keys = try query.run(in: view, limits: limits).keys
                }
            } else {
                objects.keys = try selected(in: view)
            }
        } catch { realm.storageFailed(error) }
        found.withLock { $0 = objects }
        return objects
    }

    /// Takes over the objects that an observer has found in the present view, so that reading some of them costs no query.
    func adopt(_ keys: [UInt64]) {
        let objects = Found(generation: realm.state.pointee.generation, keys: keys)
        found.withLock { $0 = objects }
    }

    /// The objects, if they were found under the present generation.
    private var present: Found? {
        let generation = realm.state.pointee.generation
        return found.withLock { $0?.generation == generation ? $0 : nil }
    }

    /// Finds the objects with their rows.
    private func inOrder(_ view: StoreView, _ generation: UInt64) throws(StoreError) -> Found {
        let sort = parts.suffixes.compactMap { suffix -> [SortKey]? in
            if case .sort(let keys) = suffix { keys } else { nil }
        }
        // The sort that was asked for last counts most, and each is stable.
        let query = ObjectQuery(
            classIndex: binding.rowClass.index, predicate: parts.predicate,
            sort: sort.reversed().flatMap { $0 })
        var keys: [UInt64] = []
        var rows: [UnsafeRawPointer] = []
        func take(_ key: UInt64, _ row: RowView) -> Bool {
            keys.append(key)
            rows.append(row.base)
            return true
        }
        if parts.predicate == nil, parts.suffixes.isEmpty {
            let count = try view.count(binding.rowClass)
            keys.reserveCapacity(count)
            rows.reserveCapacity(count)
            try view.scan(binding.rowClass, expecting: count, take)
        } else {
            try QueryExecution(query, in: view, limits: limits).run(limit: .max, take)
        }
        return Found(generation: generation, keys: keys, rows: rows)
    }

    private var query: StagedQuery {
        StagedQuery(
            classIndex: binding.rowClass.index, predicate: parts.predicate, suffixes: parts.suffixes
        )
    }

    /// Whether only sorts follow the condition, so that the order does not change the set of elements.
    var isWhole: Bool {
        parts.suffixes.allSatisfy { if case .sort = $0 { true } else { false } }
    }

    /// Counts the elements. Cost: a count by an index if one applies; never more than ``keys``.
    var count: Int {
        if isInvalidated { return 0 }
        if let present { return present.keys.count }
        guard case .all = base, isWhole else { return keys.count }
        do throws(StoreError) {
            let view = realm.view
            let query = ObjectQuery(classIndex: binding.rowClass.index, predicate: parts.predicate)
            if parts.predicate == nil { return try view.count(binding.rowClass) }
            return try QueryExecution(query.counted, in: view, limits: limits).count()
        } catch {
            realm.storageFailed(error)
            return 0
        }
    }

    /// Whether there is no element. Cost: that of finding one.
    var isEmpty: Bool { firstOnly.keys.isEmpty }

    /// These results, if all elements are known; otherwise results with only the first element.
    var firstOnly: ResultsCore {
        if isInvalidated || present != nil { return self }
        guard case .all = base else { return self }
        return adding { $0.suffixes.append(.limit(1)) }
    }

    /// Returns the element at a position. Ends the process if it is out of range.
    func element<Element: RealmCollectionValue>(_ position: Int, _ type: Element.Type) -> Element {
        let keys = keys
        if position < 0 { Misuse.end("Index \(position) is out of bounds: a negative value.") }
        guard position < keys.count else {
            Misuse.end("Index \(position) is out of bounds (must be less than \(keys.count)).")
        }
        return element(ofKey: keys[position])
    }

    func element<Element: RealmCollectionValue>(ofKey key: UInt64) -> Element {
        switch base {
        case .elements(let place): return Element._decode(place.element(Int(key)))
        case .origins(let place): return Element._of(place.origin(key))
        case .all, .links:
            if isNull(key) { return Element._unset() }
            return Element._of(realm.object(binding, key: key, row: nil))
        }
    }

    // MARK: Further conditions

    private func adding(_ change: (inout QueryParts) -> Void) -> ResultsCore {
        var parts = parts
        change(&parts)
        return ResultsCore(realm, base, parts, era: era)
    }

    /// The elements that also meet another condition, which is tested before elements are made distinct.
    func filtered(
        _ arguments: [QueryArgument], _ query: () throws(QueryError) -> ParsedQuery
    ) throws(InvalidQuery) -> ResultsCore {
        realm.checkThread()
        for case .limit in parts.suffixes {
            throw InvalidQuery(
                message: "Filtering a Results with a limit is not yet implemented", column: 1,
                hint: "put the condition before the LIMIT")
        }
        let compiled: CompiledQuery
        do {
            compiled = try CompiledQuery.compile(
                query(), arguments: arguments, root: root, schema: realm.schema.rows,
                now: { Timestamp.now() })
        } catch { throw InvalidQuery(error) }
        return adding { parts in
            parts.require(compiled.predicate)
            parts.suffixes += compiled.suffixes
        }
    }

    /// The same elements in another order.
    func sorted(_ list: [(keyPath: String, isAscending: Bool)]) throws(InvalidQuery) -> ResultsCore
    {
        let keys = try list.map { (key) throws(InvalidQuery) in
            try sortKeys(key.keyPath, clause: "sort", isAscending: key.isAscending)
        }
        return adding { $0.suffixes.append(.sort(keys.flatMap { $0 })) }
    }

    /// The first element of each combination of values.
    func distinct(_ keyPaths: [String]) throws(InvalidQuery) -> ResultsCore {
        let keys = try keyPaths.map { (path) throws(InvalidQuery) in
            try sortKeys(path, clause: "distinct", isAscending: true)
        }
        return adding { $0.suffixes.append(.distinct(keys.flatMap { $0 })) }
    }

    private func sortKeys(
        _ keyPath: String, clause: String, isAscending: Bool
    ) throws(InvalidQuery) -> [SortKey] {
        realm.checkThread()
        var keys: [SortKey]
        do {
            keys = try SortKey.parse(
                list: keyPath, clause: clause, root: root, schema: realm.schema.rows)
        } catch { throw InvalidQuery(error) }
        for index in keys.indices { keys[index].isAscending = isAscending }
        return keys
    }
}

extension ResultsCore {
    /// Calculates the least, greatest, mean or sum of a property of the objects; nil without objects.
    ///
    /// Cost: as for the service's aggregates: from columns if they have the property, otherwise a scan.
    func aggregate(
        _ function: AggregateFunction, of property: String
    ) throws(InvalidQuery) -> Value? {
        if isInvalidated { return nil }
        let view = realm.view
        let classIndex = binding.rowClass.index
        let operations: [AggregateOperation]
        do {
            operations = try AggregateOperation.parse(
                list: "\(function.rawValue)(\(property))", rootClass: classIndex, schema: view.rows)
        } catch { throw InvalidQuery(error) }
        let aggregation = Aggregation(
            operations, by: [], page: GroupPage(after: nil, countMax: 1), byteCountMax: .max,
            schema: view.rows)
        do throws(StoreError) {
            let grouped: QueryExecution.Grouped?
            if case .all = base, isWhole {
                grouped = try QueryExecution(
                    ObjectQuery(classIndex: classIndex, predicate: parts.predicate), in: view
                ).groups(of: aggregation)
            } else {
                grouped = try QueryExecution(ObjectQuery(classIndex: classIndex), in: view)
                    .groups(of: aggregation, keys.filter { !isNull($0) })
            }
            return grouped?.groups.first?.results.first.flatMap { ValueAggregate.value(of: $0) }
        } catch {
            realm.storageFailed(error)
            return nil
        }
    }
}

/// A condition of the query language: Foundation has a type of this name, too.
typealias Predicate = HoldfastQuery.Predicate

/// The condition and the order of results.
struct QueryParts: Equatable {
    var predicate: Predicate?
    var suffixes: [QuerySuffix] = []

    /// Adds a condition that also has to be met.
    mutating func require(_ other: Predicate) {
        switch (predicate, other) {
        case (nil, _): predicate = other
        case (.and(let a)?, .and(let b)): predicate = .and(a + b)
        case (.and(let a)?, _): predicate = .and(a + [other])
        case (let a?, .and(let b)): predicate = .and([a] + b)
        case (let a?, _): predicate = .and([a, other])
        }
    }
}
