import HoldfastObjectModel
import HoldfastRows

/// The results of a path that counts or aggregates the objects behind an inverse link, for every object of a class: made
/// in one pass over the objects that hold the links.
///
/// Rows that are added stay where they are stored as long as it is used. One thread at a time uses it.
package final class InverseTotals {
    /// The class of the objects that hold the links, by position in the schema.
    package let originClass: Int
    private let rowClass: RowClass
    /// The property that holds the links.
    private let link: Int
    /// The aggregated property, and the result for no object; nil if objects are counted.
    private let aggregated: (member: Int, ofNothing: Aggregator)?
    /// By object key how many links lead to the object, or with an aggregate the position of its own behind 0, where it
    /// does not have one.
    private var table: [UInt32]
    private var aggregators: [Aggregator] = []

    /// Makes totals of no objects; nil for other paths.
    ///
    /// - `keyEnd`: No object that the path begins at has this object key or a greater one.
    init?(_ path: ValuePath, schema: RowSchema, keyEnd: Int) {
        switch (path.terminal, path.steps.first?.kind, path.steps.count) {
        case (.inverseCount(let origin, let member), nil, 0):
            (originClass, link, aggregated) = (origin, member, nil)
        case (.objectAggregate(let function, let value), .inverse?, 1):
            (originClass, link) = (path.steps[0].toClass, path.steps[0].member)
            let storage = schema.classes[originClass].members[value].storage.element
            aggregated = (value, Aggregator(function, storage))
        default: return nil
        }
        rowClass = schema.classes[originClass]
        // The owners of embedded objects are of any class, and `mixed` values hold links to any.
        guard rowClass.definition.kind == .object, rowClass.members[link].storage.element == .link
        else { return nil }
        table = Array(repeating: 0, count: keyEnd)
    }

    package var byteCount: Int {
        table.count * MemoryLayout<UInt32>.stride
            + aggregators.count * MemoryLayout<Aggregator>.stride
    }

    /// Adds an object that may hold links.
    package func add(_ row: RowView, _ source: any ObjectSource) {
        guard rowClass.members[link].storage.shape != .single else {
            let field = rowClass.field(link, in: row)
            if !field.isNull { add(row, to: field.load(UInt64.self), source) }
            return
        }
        rowClass.collection(link, in: row, source)
            .forEach(within: source.budget) { links, offset, _ in
                if !links.isNull(offset) { add(row, to: links.pointer(offset).storedLink, source) }
                return true
            }
    }

    private func add(_ row: RowView, to target: UInt64, _ source: any ObjectSource) {
        guard target < table.count else { return }
        let target = Int(target)
        guard let aggregated else {
            table[target] += 1
            return
        }
        if table[target] == 0 {
            aggregators.append(aggregated.ofNothing)
            table[target] = UInt32(aggregators.count)
        }
        let field = rowClass.field(aggregated.member, in: row)
        if field.isNull { return }
        let width = rowClass.members[aggregated.member].storage.element.fixedByteCount
        let value = width.map { UnsafeRawBufferPointer(start: field.slot, count: $0) }
        let bytes = value ?? field.text(source)
        aggregators[Int(table[target]) - 1].add(bytes.baseAddress, bytes.count)
    }

    /// Hands an object's value to a sink.
    func hand(_ key: UInt64, to sink: ValueSink) {
        let entry = key < table.count ? Int(table[Int(key)]) : 0
        if let aggregated {
            let own = entry == 0 ? aggregated.ofNothing : aggregators[entry - 1]
            _ = own.finish(sink)
        } else {
            _ = sink.receive(Int64(entry))
        }
    }
}
