import HoldfastObjectModel

// Lists, figures, sections and exports.
extension RuleRequestMaker {
    mutating func list() -> RuleRequest {
        let container = container()
        var request = RuleRequest(container.path + "/objects")
        filter(&request, container.base)
        let filter = request.parameters.first?.value ?? ""
        let isStaged = ["LIMIT(", "SORT(", "DISTINCT("].contains { filter.contains($0) }
        if !isStaged || chance(5) {
            if chance(40) { request.parameters.append(("sort", sort(container.base))) }
            if chance(20) {
                let paths = (0..<pick([1, 1, 2])).map { _ in path(container.base) }
                request.parameters.append(("distinct", paths.joined(separator: ",")))
            }
        }
        request.parameters.append(("limit", count(to: 7)))
        if chance(30) { request.parameters.append(("count", "exact")) }
        request.hasPages = true
        if chance(3) { request.parameters.append((scalar(container.base), "1")) }
        if chance(8) {
            table(&request, container)
            return request
        }
        shape(&request, container)
        if chance(8) {
            request.headers.append(("Accept", "application/geo+json"))
            if chance(40) {
                request.parameters.append(("geometry", pick(["place", "one.place", "here"])))
            }
        } else if chance(25), !request.parameters.contains(where: { $0.name == "text" }) {
            return request.inBody(container.path)
        }
        return request
    }

    /// Asks for CSV, mostly with columns that it can have.
    private mutating func table(_ request: inout RuleRequest, _ container: Container) {
        request.headers.append(("Accept", "text/csv"))
        guard chance(85) else { return }
        let columns = (0..<pick([1, 2, 3])).map { _ in
            container.projection.map { pick($0.properties.map(\.name)) } ?? path(container.base)
        }
        request.parameters.append(("fields", columns.joined(separator: ",")))
    }

    mutating func export() -> RuleRequest {
        let container = container()
        var request = RuleRequest(container.path + "/export")
        if chance(40) {
            table(&request, container)
        } else if chance(50) {
            request.parameters.append(
                (
                    "fields",
                    container.projection.map { pick($0.properties.map(\.name)) }
                        ?? field(container.base)
                ))
        }
        return request
    }

    mutating func aggregate() -> RuleRequest {
        let container = container()
        let base = container.base
        var request = RuleRequest(container.path + "/aggregate")
        var operations = ["count"]
        for _ in 0..<pick([0, 1, 2, 3]) { operations.append(operation(base)) }
        request.parameters.append(("op", operations.joined(separator: ",")))
        if chance(55) {
            let keys = (0..<pick([1, 1, 2])).map { _ in groupKey(base) }
            request.parameters.append(("by", keys.joined(separator: ",")))
            request.parameters.append(("limit", count(to: 5)))
            request.hasPages = true
            if chance(25) {
                request.parameters.append(("having", "\(pick(operations)) \(pick([">", "!="])) 1"))
            }
            if chance(25) {
                request.parameters.append(("order", (chance(50) ? "-" : "") + pick(operations)))
            }
            if chance(20) {
                request.parameters.append(("tz", pick(["+02:00", "Europe/Paris", "Nowhere"])))
            }
        }
        filter(&request, base)
        return request
    }

    private static func isNumber(_ type: ScalarType) -> Bool {
        [.int, .float, .double, .decimal128, .mixed].contains(type.widened)
    }

    private mutating func operation(_ base: String) -> String {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return "count(distinct \(path(base) { _ in true }))"
        case 1, 2: return "\(pick(["min", "max"]))(\(path(base) { _ in true }))"
        case 3: return "percentile(\(path(base, where: Self.isNumber)),\(pick(["0", "33", "95"])))"
        default:
            return "\(pick(["sum", "avg", "median", "min", "max"]))"
                + "(\(path(base, where: Self.isNumber)))"
        }
    }

    /// What groups have in common: values, objects, elements of collections, or parts of values.
    private mutating func groupKey(_ base: String) -> String {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            return "\(pick(["year", "month", "day", "hour"]))(\(path(base) { $0 == .date }))"
        case 1: return "bucket(\(path(base, where: Self.isNumber)),\(pick(["1", "10", "0.5"])))"
        case 2: return propertyName(base) { $0.type.element != nil }
        case 3:
            let many = propertyName(base) { $0.type.isCollection }
            guard case .object(let target)? = property(many, of: base)?.type.element else {
                return many
            }
            return "\(many).\(path(target))"
        default: return path(base)
        }
    }

    mutating func sections() -> RuleRequest {
        let container = container()
        let base = container.base
        var request = RuleRequest(container.path + "/sections")
        request.parameters.append(
            (
                "by",
                chance(20)
                    ? "prefix(\(path(base) { $0 == .string }),\(pick(["1", "2"])))" : path(base)
            ))
        request.parameters.append(("limit", count(to: 5)))
        request.parameters.append(("objects", "\(Int.random(in: 0...3, using: &random))"))
        if chance(30) { request.parameters.append(("count", "exact")) }
        if chance(30) { request.parameters.append(("sort", sort(base))) }
        shape(&request, container)
        filter(&request, base)
        request.hasPages = true
        return request
    }
}
