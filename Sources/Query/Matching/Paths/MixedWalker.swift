import HoldfastObjectModel
import HoldfastRows

/// Follows a ``MixedPath`` and passes its values to a sink: as `mixed` values, as texts (keys), as
/// ints (counts and kinds), or as numbers (sums and averages).
final class MixedWalker {
    /// The value that the path has reached.
    enum Found {
        /// Nothing: a value on the way had not the shape that a step needs.
        case nothing
        case null
        /// A `mixed` value, or a plain value or link of a property in the form of one.
        case mixed(MixedView)
        case embedded(RowClass, RowView)
        case collection(StoredCollection, FieldStorage, classIndex: Int)
    }

    let schema: RowSchema
    private let path: MixedPath
    /// The keys of the steps as names; empty for other steps.
    private let names: [String]
    private let isGrouped: Bool
    /// Whether nothing means null.
    private let yieldsNull: Bool
    private var aggregator: Aggregator?
    /// The bytes that are made for the present row and the one before, so that two can be compared.
    private(set) var arena = ByteArena()
    private var arenaBefore = ByteArena()
    /// Spent where there is no source.
    let unbounded = Budget()

    /// - `isGrouped`: Whether the collections at the end are handed over as groups.
    /// - `isMany`: Whether the path as a whole leads to several values.
    init(_ path: MixedPath, schema: RowSchema, isGrouped: Bool, isMany: Bool) {
        self.path = path
        self.schema = schema
        self.isGrouped = isGrouped
        yieldsNull = !isMany
        names = path.steps.map { step in
            if case .position(.key(let key)) = step {
                String(decoding: key, as: UTF8.self)
            } else {
                ""
            }
        }
        if case .aggregate(let function) = path.result { aggregator = Aggregator(function, .mixed) }
    }

    /// Begins another row.
    func reset() {
        swap(&arena, &arenaBefore)
        arena.removeAll()
    }

    /// Goes on from a property of an object.
    func walk(
        _ member: Int, of rowClass: RowClass, _ row: RowView, _ source: any ObjectSource,
        _ sink: ValueSink
    ) -> Bool {
        let storage = rowClass.members[member].storage
        guard storage.shape == .single else {
            let values = rowClass.collection(member, in: row, source)
            return go(0, .collection(values, storage, classIndex: -1), source, sink)
        }
        let field = rowClass.field(member, in: row)
        return go(0, field.isNull ? .null : .mixed(MixedView(field.text(source))), source, sink)
    }

    /// Goes on from a value, or from null at nil. Without a source links lead nowhere.
    func walk(
        _ value: UnsafeRawBufferPointer?, _ source: (any ObjectSource)?, _ sink: ValueSink
    ) -> Bool {
        go(0, value.map { .mixed(MixedView($0)) } ?? .null, source, sink)
    }

    /// Takes the step at `index` and all later ones; false if the sink wants no more.
    private func go(
        _ index: Int, _ found: Found, _ source: (any ObjectSource)?, _ sink: ValueSink
    ) -> Bool {
        guard index < path.steps.count else { return finish(found, source, sink) }
        switch path.steps[index] {
        case .position(.key(let key)):
            return go(index + 1, value(key, names[index], of: found, source), source, sink)
        case .position(let position):
            return go(index + 1, element(position, of: found), source, sink)
        case .all, .keys:
            guard path.steps[index] == .all ? isCollection(found) : isMap(found) else {
                return true
            }
            let isGroup = isGrouped && index == path.steps.count - 1
            if isGroup { sink.beginGroup() }
            let goesOn =
                path.steps[index] == .all
                ? forEachElement(of: found, source) { go(index + 1, $0, source, sink) }
                : forEachKey(of: found, source) { sink.receive($0) }
            return isGroup ? sink.endGroup() : goesOn
        }
    }

    /// Passes on the requested part of a value.
    func finish(_ found: Found, _ source: (any ObjectSource)?, _ sink: ValueSink) -> Bool {
        if case .nothing = found, !yieldsNull { return true }
        switch path.result {
        case .value: return sink.receive(encoded(found))
        case .kind: return sink.receive(KindSet.of(kind(of: found)))
        case .count: return count(of: found).map { sink.receive($0) } ?? sink.receive(nil, 0)
        case .aggregate:
            aggregator?.reset()
            _ = forEachElement(of: found, source) { element in
                let bytes = encoded(element)
                aggregator?.add(bytes?.baseAddress, bytes?.count ?? 0)
                return true
            }
            return aggregator?.finish(sink) ?? true
        }
    }

    /// The kind of a value; an embedded object's is that of maps.
    func kind(of found: Found) -> MixedKind {
        switch found {
        case .nothing, .null: .null
        case .mixed(let value): value.kind
        case .embedded: .map
        case .collection(_, let storage, _): storage.shape == .map ? .map : .list
        }
    }

    private func count(of found: Found) -> Int64? {
        switch found {
        case .mixed(let value):
            switch value.kind {
            case .string, .data: Int64(value.payload.count)
            case .list, .map: Int64(value.count)
            default: nil
            }
        case .collection(let values, _, _): Int64(values.count)
        case .nothing, .null, .embedded: nil
        }
    }
}
