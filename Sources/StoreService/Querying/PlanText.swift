import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// A plan in words, for `explain`.
struct PlanText {
    /// One line, such as `index population, 1 range, descending`; where a plan was given up for another, one after the other.
    let summary: String
    /// The properties with a used index or primary key; properties of other classes after the class's name.
    let indexes: [String]

    /// The plans that were given up, each as a step of its own.
    let stepsGivenUp: [PageAccount.Step]
    /// The properties with columns that the last plan used, separated by commas; may be empty.
    let columns: String

    init(_ followed: [FollowedPlan], _ rowClass: RowClass, _ schema: RowSchema) {
        var writer = Writer(schema: schema, root: rowClass)
        let texts = followed.map { writer.followed($0, rowClass) }
        summary = texts.joined(separator: "; then ")
        indexes = writer.indexes
        stepsGivenUp = zip(followed, texts).filter { $0.0.isGivenUp }.map { plan, text in
            PageAccount.Step(
                name: "given up: \(text)", rows: plan.rowsRead, microseconds: plan.microseconds)
        }
        columns = followed.last.map { writer.names($0.columns) } ?? ""
    }

    /// The name of a step with the columns that it went by.
    func step(_ name: String) -> String { columns.isEmpty ? name : "\(name) by columns \(columns)" }

    private struct Writer {
        let schema: RowSchema
        let root: RowClass
        var indexes: [String] = []

        mutating func followed(_ followed: FollowedPlan, _ rowClass: RowClass) -> String {
            let plan = followed.plan
            var parts = [
                followed.columns.isEmpty
                    ? source(plan.source, rowClass) : "scan by columns \(names(followed.columns))"
            ]
            switch plan.order {
            case .natural(let reversed): if reversed { parts.append("descending") }
            case .collectKeys: parts.append("then by object key")
            case .sort: parts.append("then sorted")
            }
            if followed.testsRows { parts.append("each object tested") }
            return parts.joined(separator: ", ")
        }

        /// The properties of columns, with commas between.
        func names(_ columns: [ColumnReference]) -> String {
            columns.map { column in
                let owner = schema.classes[column.classIndex]
                return name(owner.definition.properties[column.member].name, owner)
            }.joined(separator: ", ")
        }

        /// A property's name, behind its class where that is another.
        private func name(_ property: String, _ rowClass: RowClass) -> String {
            rowClass.index == root.index ? property : "\(rowClass.definition.name).\(property)"
        }

        private mutating func source(_ source: PlanSource?, _ rowClass: RowClass) -> String {
            switch source {
            case nil: return "scan of all objects"
            case .any(let parts) where parts.isEmpty:
                return "nothing: the conditions exclude each other"
            case .index(let member, let ranges):
                let name = rowClass.definition.properties[member].name
                use(name, rowClass)
                let kind = member == rowClass.primaryKeyIndex ? "primary key" : "index"
                return "\(kind) \(name), \(count(ranges))"
            case .words(let index, let search):
                let name = rowClass.definition.properties[index.member].name
                use(name, rowClass)
                let count = search.required.count
                return "full-text index \(name), \(count) word\(count == 1 ? "" : "s")"
            case .points(let index, _):
                let name = rowClass.definition.properties[index.member].name
                use(name, rowClass)
                return "geographic index \(name)"
            case .links(let constraint, let far): return links(constraint, far)
            case .unrestricted(let source): return "read rule: \(self.source(source, rowClass))"
            case .all(let parts): return "all of \(list(parts, rowClass))"
            case .any(let parts): return "any of \(list(parts, rowClass))"
            }
        }

        private mutating func list(_ parts: [PlanSource], _ rowClass: RowClass) -> String {
            parts.map { "(\(source($0, rowClass)))" }.joined(separator: ", ")
        }

        private mutating func links(_ constraint: LinkConstraint, _ far: Plan?) -> String {
            let way = constraint.steps.map { step in
                let owner = schema.classes[step.kind == .inverse ? step.toClass : step.fromClass]
                let name = owner.definition.properties[step.member].name
                return step.kind == .inverse ? "@links.\(owner.definition.name).\(name)" : name
            }.joined(separator: ".")
            guard case .matching = constraint.far, let far else {
                return "links \(way) to what the query names"
            }
            let target = schema.classes[constraint.link.toClass]
            let tested = far.residual == nil ? "" : ", each object tested"
            return
                "links \(way) to \(target.definition.name) by (\(source(far.source, target))\(tested))"
        }

        private mutating func use(_ name: String, _ rowClass: RowClass) {
            let own = self.name(name, rowClass)
            if !indexes.contains(own) { indexes.append(own) }
        }

        private func count(_ ranges: [OrderedKeyRange]) -> String {
            let isSingle = ranges.allSatisfy(\.isSingleValue)
            let unit = isSingle ? "value" : "range"
            return "\(ranges.count) \(unit)\(ranges.count == 1 ? "" : "s")"
        }
    }
}
