import HoldfastObjectModel
import HoldfastPlainQuery
import HoldfastServiceSupport

// Imports, of lines of JSON and of CSV.
extension RuleChangeMaker {
    mutating func lines(_ name: String) -> RuleRequest {
        let primaryKey = definition(name)?.primaryKey ?? "$id"
        let objects = (0..<pick([1, 2, 4])).map { _ -> QueryJSON in
            let isNew = chance(40)
            var members = isNew ? whole(name) : someOfNew(name)
            if !isNew || primaryKey != "$id" {
                members[primaryKey] = isNew ? newKey(name) : key(name)
            }
            return .object(members)
        }
        return imported(name, objects.map(\.text).joined(separator: "\n"), "application/x-ndjson")
    }

    /// Lines that all state the same properties.
    mutating func table(_ name: String) -> RuleRequest {
        let primaryKey = definition(name)?.primaryKey ?? "$id"
        let objects = (0..<pick([1, 2, 4])).map { _ -> [String: QueryJSON] in
            let key = chance(40) && primaryKey != "$id" ? newKey(name) : key(name)
            return whole(name).merging([primaryKey: key]) { $1 }
        }
        let columns = stored(name).filter { property in
            guard fitsTable(property), !canBeMissing(property) || chance(60) else { return false }
            // An empty cell of what may be hidden states nothing, and null on the copy.
            return !requests.twins.hidden.contains(property.name)
                || objects.allSatisfy { $0[property.name] ?? .null != .null }
        }
        let names = [primaryKey] + columns.map(\.name)
        let rows =
            [names.map(Self.cell)]
            + objects.map { object in names.map { Self.cell(object[$0] ?? .null) } }
        return imported(
            name, rows.map { $0.joined(separator: ",") }.joined(separator: "\r\n"), "text/csv")
    }

    private mutating func imported(_ name: String, _ body: String, _ type: String) -> RuleRequest {
        var request = RuleRequest("/v1/classes/\(name)/import", "POST")
        request.body = body
        request.headers.append(("Content-Type", type))
        request.parameters.append(
            ("mode", pick(["create", "ignore", "merge", "merge", "merge", "replace"])))
        if chance(30) { request.parameters.append(("atomic", "true")) }
        return request
    }

    /// Whether a property has one value that a cell can have.
    private func fitsTable(_ property: Property) -> Bool {
        switch property.type {
        case .single(.scalar(let type)): type != .mixed
        case .single(.object(let name)): definition(name)?.kind == .object
        default: false
        }
    }

    private static func cell(_ value: QueryJSON) -> String {
        switch value {
        case .null: ""
        case .string(let text): cell(text)
        default: value.text
        }
    }

    private static func cell(_ text: String) -> String {
        "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
