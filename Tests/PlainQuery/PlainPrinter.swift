import HoldfastObjectModel
import HoldfastQuery

/// Writes queries as text, and collects the arguments that go with it.
struct PlainPrinter {
    /// The arguments so far.
    private(set) var arguments: [QueryArgument] = []
    private var variables: [String] = []
    /// How many positions and keys were written: some of them are arguments.
    private var positionCount = 0
    /// The same of paths and regions.
    private var pathCount = 0

    /// A query as text.
    mutating func text(_ query: PlainQuery) -> String {
        var parts = [text(query.predicate)]
        for suffix in query.suffixes {
            switch suffix {
            case .limit(let count): parts.append("LIMIT(\(count))")
            case .distinct(let paths):
                parts.append("DISTINCT(\(paths.map { text($0) }.joined(separator: ", ")))")
            case .sort(let keys):
                let list = keys.map { "\(text($0.path)) \($0.isAscending ? "ASC" : "DESC")" }
                parts.append("SORT(\(list.joined(separator: ", ")))")
            }
        }
        return parts.joined(separator: " ")
    }

    private mutating func text(_ predicate: PlainPredicate) -> String {
        switch predicate {
        case .constant(let truth): return truth ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let part): return "NOT (\(text(part)))"
        case .and(let parts): return join(parts, " AND ")
        case .or(let parts): return join(parts, " OR ")
        case .comparison(let left, let relation, let right):
            let first = text(left)
            return "\(first) \(relation.text) \(text(right))"
        case .between(let side, let least, let greatest, let isArgument):
            let first = text(side)
            let bounds = PlainSide.list([least, greatest], nil, isArgument: isArgument)
            return "\(first) BETWEEN \(text(bounds))"
        case .within(_, let hops, let quantifier, let region):
            let names = hops.map { text($0) }.joined(separator: ".")
            pathCount += 1
            let written =
                pathCount % 2 == 0 ? argument(QueryArgument(text: region.text)) : region.text
            return prefix(quantifier) + names + " geoWithin " + written
        }
    }

    private mutating func join(_ parts: [PlainPredicate], _ sign: String) -> String {
        parts.map { "(\(text($0)))" }.joined(separator: sign)
    }

    private func prefix(_ quantifier: PlainQuantifier?) -> String {
        quantifier.map { "\($0.rawValue) " } ?? ""
    }

    private mutating func text(_ side: PlainSide) -> String {
        switch side {
        case .constant(let constant): return text(constant)
        case .list(let constants, let quantifier, let isArgument):
            if isArgument {
                let values = constants.map { value($0) }
                return prefix(quantifier) + argument(QueryArgument(.list(values)))
            }
            let list = constants.map { text($0) }.joined(separator: ", ")
            return "\(prefix(quantifier)){\(list)}"
        case .path(let path, let quantifier):
            pathCount += 1
            let written = text(path)
            // Some whole paths are arguments.
            guard quantifier == nil, variables.isEmpty, pathCount % 8 == 0, !written.contains("$")
            else {
                return prefix(quantifier) + written
            }
            return "$K" + argument(QueryArgument(text: written)).dropFirst()
        case .operation(let left, let sign, let right):
            let first = operand(left)
            return "\(first) \(sign) \(operand(right))"
        }
    }

    private mutating func operand(_ side: PlainSide) -> String {
        if case .operation = side { return "(\(text(side)))" }
        return text(side)
    }

    // MARK: Constants

    private mutating func argument(_ argument: QueryArgument) -> String {
        arguments.append(argument)
        return "$\(arguments.count - 1)"
    }

    private func value(_ constant: PlainConstant) -> Value {
        switch constant.kind {
        case .value(let value): value
        case .object(let className, let key): .link(className: className, key: key)
        case .type: .null
        }
    }

    private mutating func text(_ constant: PlainConstant) -> String {
        if !constant.isArgument, let literal = literal(constant) { return literal }
        if constant.isPlainText, let text = Self.plainText(value(constant)) {
            return argument(QueryArgument(text: text))
        }
        return argument(QueryArgument(value(constant)))
    }

    /// A value as the text that stands for it where its type is known.
    private static func plainText(_ value: Value) -> String? {
        switch value {
        case .int(let number): String(number)
        case .date(let time): time.description
        case .objectID(let id): id.description
        case .uuid(let id): id.description
        default: nil
        }
    }

    private func literal(_ constant: PlainConstant) -> String? {
        switch constant.kind {
        case .value(let value): return Self.literal(value)
        case .object(let className, let key):
            return Self.literal(key).map { "obj('\(className)', \($0))" }
        case .type(let name, _): return "\(name).@type"
        }
    }

    private static func literal(_ value: Value) -> String? {
        switch value {
        case .null: return "null"
        case .bool(let truth): return truth ? "true" : "false"
        case .int(let number): return String(number)
        case .double(let number): return "\(number)"
        case .float(let number): return number.isFinite ? "\(number)f" : nil
        case .string(let text): return quoted(text)
        case .data(let bytes):
            guard bytes.allSatisfy({ $0 > 0 && $0 < 128 }) else { return nil }
            return "binary(\(quoted(String(decoding: bytes, as: UTF8.self))))"
        case .date(let time):
            return time.seconds % 2 == 0 ? "T\(time.seconds):\(time.nanoseconds)" : time.description
        case .objectID(let id): return "oid(\(id))"
        case .uuid(let id): return "uuid(\(id))"
        case .decimal, .link, .list, .map: return nil
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'", "\\": result += "\\\(scalar)"
            case "\0": result += "\\0"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }

    // MARK: Paths

    private mutating func text(_ path: PlainPath) -> String {
        let start = path.isPrefixed ? variables.last.map { "\($0)." } ?? "" : ""
        var names = path.hops.map { text($0) }
        if case .matchCount(let variable, let predicate) = path.end {
            variables.append(variable)
            let condition = text(predicate)
            variables.removeLast()
            let objects = start + names.joined(separator: ".")
            return "SUBQUERY(\(objects), \(variable), \(condition)).@count"
        }
        names.append(text(path.end))
        return start + names.joined(separator: ".")
    }

    private mutating func text(_ hop: PlainPath.Hop) -> String {
        switch hop {
        case .one(let name), .inverse(let name): name
        case .many(let name, let form): name + form
        case .at(let name, let position): name + text(position)
        case .links(let className, let name): "@links.\(className).\(name)"
        }
    }

    private mutating func text(_ position: PlainPath.Position) -> String {
        positionCount += 1
        let isArgument = positionCount % 4 == 0
        switch position {
        case .index(let index):
            return isArgument
                ? "[\(argument(QueryArgument(.int(Int64(index)))))]" : "[\(index)]"
        case .first: return "[FIRST]"
        case .last: return "[LAST]"
        case .key(let key, let isDotted):
            if isDotted { return ".\(key)" }
            return isArgument
                ? "[\(argument(QueryArgument(.string(key))))]" : "[\(Self.quoted(key))]"
        }
    }

    private mutating func text(_ end: PlainPath.End) -> String {
        switch end {
        case .value(let name), .inverse(let name): name
        case .elements(let name, let form), .count(let name, let form): name + form
        case .elementAt(let name, let position): name + text(position)
        case .keys(let name): "\(name).@keys"
        case .lengths(let name): "\(name).length"
        case .countAt(let name, let position): "\(name)\(text(position)).@count"
        case .linkCount(let className, let name): "@links.\(className).\(name).@count"
        case .incomingCount: "@links.@count"
        case .links(let className, let name): "@links.\(className).\(name)"
        case .aggregate(let function, let name): "\(name).\(function.rawValue)"
        case .objectAggregate(let function, let name): "\(function.rawValue).\(name)"
        case .mixed(let name, let steps, let result):
            name + steps.map { text($0) }.joined() + text(result)
        case .matchCount: ""
        }
    }

    private mutating func text(_ step: PlainPath.MixedStep) -> String {
        switch step {
        case .position(let position): text(position)
        case .key(let key, let isDotted): text(PlainPath.Position.key(key, isDotted: isDotted))
        case .all: "[*]"
        case .keys: ".@keys"
        }
    }

    private func text(_ result: PlainPath.MixedResult) -> String {
        switch result {
        case .value: ""
        case .count: ".@count"
        case .kind: ".@type"
        case .aggregate(let function): ".\(function.rawValue)"
        }
    }
}
