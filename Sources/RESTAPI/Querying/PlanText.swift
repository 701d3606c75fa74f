import ObjectStore
import Rows

/// A plan in words, for `explain`.
struct PlanText {
    /// One line, such as `index population, 1 range, descending`.
    let summary: String
    /// The properties whose index, or primary key, is used.
    let indexes: [String]

    init(_ plan: Plan, _ rowClass: RowClass) {
        var parts: [String] = []
        func count(_ ranges: Int, single: Bool) -> String {
            single
                ? "\(ranges) value\(ranges == 1 ? "" : "s")"
                : "\(ranges) range\(ranges == 1 ? "" : "s")"
        }
        switch plan.access {
        case .nothing:
            parts.append("nothing: the conditions exclude each other")
            indexes = []
        case .scan:
            parts.append("scan of all objects")
            indexes = []
        case .primaryKey(let ranges):
            let name = rowClass.definition.primaryKey ?? ""
            parts.append("primary key \(name)")
            parts.append(count(ranges.count, single: ranges.allSatisfy(\.isSingleValue)))
            indexes = [name]
        case .index(let member, let ranges):
            let name = rowClass.definition.properties[member].name
            parts.append("index \(name)")
            parts.append(count(ranges.count, single: ranges.allSatisfy(\.isSingleValue)))
            indexes = [name]
        }
        switch plan.order {
        case .natural(let reversed): if reversed { parts.append("descending") }
        case .collectKeys: parts.append("then by object key")
        case .sort: parts.append("then sorted")
        }
        if plan.residual != nil { parts.append("each object tested") }
        summary = parts.joined(separator: ", ")
    }
}
