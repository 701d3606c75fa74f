import HoldfastRows

/// Results that are the same for all objects with a to-one link to the same target, found once for each target
/// and remembered: without that a query which reads much behind a link costs the product of two classes.
///
/// One thread at a time uses it. Another snapshot begins it again.
final class TargetMemory<Result> {
    /// The most targets remembered: the results of further ones are found out each time.
    private let targetCountMax = 1 << 17
    private let rowClass: RowClass
    private let member: Int
    private var results: [UInt64: Result] = [:]
    /// The snapshot that the results are of. Weak, so that another one at the same address is not taken for it.
    private weak var boundSource: (any ObjectSource)?

    /// - `link`: A to-one link of the object itself.
    init(_ link: PathStep, schema: RowSchema) {
        rowClass = schema.classes[link.fromClass]
        member = link.member
    }

    /// Returns the result of an object's target, which `evaluate` finds out; nil where the link is null.
    func result(_ row: RowView, _ source: any ObjectSource, _ evaluate: () -> Result) -> Result? {
        let field = rowClass.field(member, in: row)
        guard !field.isNull else { return nil }
        if boundSource !== source {
            results.removeAll(keepingCapacity: true)
            boundSource = source
        }
        let target = field.load(UInt64.self)
        if let result = results[target] { return result }
        let result = evaluate()
        if results.count < targetCountMax { results[target] = result }
        return result
    }
}
