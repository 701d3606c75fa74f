import HoldfastObjectModel
import HoldfastQuery
import HoldfastTestSupport

/// A random query: its text, its arguments, and the plainest evaluation of it.
struct RandomQuery {
    var text: String
    var arguments: [QueryArgument] = []
    var holds: (World, Person) -> Bool

    /// Makes a query of at most so many levels of AND, OR and NOT.
    static func make(depth: Int, using random: inout SeededGenerator) -> RandomQuery {
        let roll = depth == 0 ? 0 : Int.random(in: 0..<6, using: &random)
        switch roll {
        case 3:
            let part = make(depth: depth - 1, using: &random)
            return RandomQuery(text: "NOT (\(part.text))", arguments: part.arguments) {
                !part.holds($0, $1)
            }
        case 4, 5:
            let parts = (0..<Int.random(in: 2...3, using: &random)).map { _ in
                make(depth: depth - 1, using: &random)
            }
            let arguments = parts.flatMap(\.arguments)
            let texts = parts.map { "(" + $0.text + ")" }
            if roll == 4 {
                return RandomQuery(text: texts.joined(separator: " AND "), arguments: arguments) {
                    world, person in
                    parts.allSatisfy { $0.holds(world, person) }
                }
            }
            return RandomQuery(text: texts.joined(separator: " || "), arguments: arguments) {
                world, person in
                parts.contains { $0.holds(world, person) }
            }
        default: return comparison(using: &random)
        }
    }

    /// The text with its arguments, which stand as `$?`, numbered in order.
    static func numbered(_ text: String) -> String {
        var number = -1
        return text.split(separator: "?", omittingEmptySubsequences: false).reduce(into: "") {
            result, part in
            number += 1
            result += part
            if part.hasSuffix("$") { result += String(number) }
        }
    }

    static func constant(_ kind: NaivePath.Kind, using random: inout SeededGenerator) -> Value {
        if Int.random(in: 0..<8, using: &random) == 0 { return .null }
        let number = Int64.random(in: -2...3, using: &random)
        switch kind {
        case .bool: return .bool(Bool.random(using: &random))
        case .int:
            return Int.random(in: 0..<5, using: &random) == 0
                ? .double(Double(number) + 0.5) : .int(number)
        case .double:
            return [.int(number), .double(Double(number) / 2), .double(.nan), .double(.infinity)]
                .randomElement(using: &random) ?? .null
        case .string: return .string(World.words.randomElement(using: &random) ?? "")
        case .data:
            return .data(Array((World.words.randomElement(using: &random) ?? "").utf8.prefix(2)))
        case .date:
            return .date(
                Timestamp(seconds: number, nanoseconds: Int32.random(in: 0...1, using: &random)))
        case .objectID:
            return .objectID(
                ObjectID(
                    high: UInt64.random(in: 0...1, using: &random),
                    low: UInt32.random(in: 0...1, using: &random)))
        case .uuid:
            return .uuid(
                UUID128(
                    high: UInt64.random(in: 0...1, using: &random),
                    low: UInt64.random(in: 0...1, using: &random)))
        }
    }

    static func comparison(
        paths: [NaivePath] = NaivePath.all, using random: inout SeededGenerator
    ) -> RandomQuery {
        let path = paths.randomElement(using: &random) ?? paths[0]
        let isText = path.kind == .string || path.kind == .data
        var operators = ["==", "!=", "<", "<=", ">", ">="]
        if isText { operators += ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "==", "CONTAINS"] }
        let op = operators.randomElement(using: &random) ?? "=="
        let ignoresCase =
            path.kind == .string && !op.contains("<") && !op.contains(">")
            && Bool.random(using: &random)
        let flag = ignoresCase ? "[c]" : ""
        func quantifier(_ isMany: Bool) -> String {
            isMany ? ["", "ANY", "ALL", "NONE"].randomElement(using: &random) ?? "" : ""
        }
        let own = quantifier(path.isMany)
        // Another path, a list or a single constant on the other side.
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let others = paths.filter {
                $0.kind == path.kind && !($0.isPrimitive && path.isPrimitive)
            }
            guard let other = others.randomElement(using: &random) else { break }
            let its = quantifier(other.isMany)
            return RandomQuery(text: "\(own) \(path.text) \(op)\(flag) \(its) \(other.text)") {
                world, person in
                Naive.compare(
                    path.read(world, person), own, op, other.read(world, person), its,
                    ignoresCase: ignoresCase)
            }
        case 1, 2:
            let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                constant(path.kind, using: &random)
            }
            let its = quantifier(true)
            let isLeft = Bool.random(using: &random)
            let text =
                isLeft
                ? "\(its) $? \(op)\(flag) \(own) \(path.text)"
                : "\(own) \(path.text) \(op)\(flag) \(its) $?"
            return RandomQuery(text: text, arguments: [QueryArgument(.list(values))]) {
                world, person in
                let reached = path.read(world, person)
                return isLeft
                    ? Naive.compare(
                        .many(values), its, op, reached, own, ignoresCase: ignoresCase,
                        leftIsConstant: true)
                    : Naive.compare(reached, own, op, .many(values), its, ignoresCase: ignoresCase)
            }
        default: break
        }
        var value = constant(path.kind, using: &random)
        if case .double(let number) = value, path.kind == .int, !number.isFinite { value = .int(0) }
        return RandomQuery(
            text: "\(own) \(path.text) \(op)\(flag) $?", arguments: [QueryArgument(value)]
        ) { world, person in
            Naive.compare(
                path.read(world, person), own, op, .one(value), "", ignoresCase: ignoresCase)
        }
    }
}
