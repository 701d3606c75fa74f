import HoldfastQuery

/// A query before it becomes text. It consists of pieces, so that arguments get their numbers, and paths their beginnings, at the
/// end.
struct QueryExpression {
    /// The path to a value.
    struct Path {
        /// Names and operations, joined by points.
        var steps: [String] = []
        /// For each collection on the path, the number of steps that lead to it.
        var collectionEnds: [Int] = []
        /// Whether the steps after the collections reduce them to one value, such as a count.
        var isSingle = false
        /// Whether the path leads to the value of a map's key.
        var isSubscripted = false

        /// Whether the path leads to several values.
        var isMany: Bool { !collectionEnds.isEmpty && !isSingle }

        /// Extends the path into the value at its end.
        func indexed(_ index: String) -> Path {
            var path = self
            path.steps = path.steps.dropLast() + [(path.steps.last ?? "self") + "[\(index)]"]
            return path
        }

        /// The path as a text has it, without a quantifier.
        var text: String {
            switch steps.count {
            case 0: "self"
            case 1: steps[0]
            default: steps.joined(separator: ".")
            }
        }

        /// Whether a property on the path has the name of a word of the query language.
        var hasReservedNames: Bool {
            steps.contains { step in
                let end = step.utf8.firstIndex(of: UInt8(ascii: "["))
                return CompiledQuery.isReserved(step[..<(end ?? step.endIndex)])
            }
        }
    }

    enum Piece {
        case text(String)
        case argument(Any)
        case path(Path)
    }

    /// The path, if the expression is only a path. Most expressions begin as one.
    let path: Path?
    /// The pieces of other expressions.
    private let others: [Piece]

    var pieces: [Piece] { path.map { [.path($0)] } ?? others }

    init(_ path: Path) {
        self.path = path
        others = []
    }

    init(_ pieces: [Piece]) {
        path = nil
        others = pieces
    }

    static func + (a: QueryExpression, b: QueryExpression) -> QueryExpression {
        QueryExpression(a.pieces + b.pieces)
    }

    static func joined(_ conditions: [QueryExpression], _ word: String) -> QueryExpression {
        let parts = conditions.map { [.text("(")] + $0.condition.pieces + [.text(")")] }
        return QueryExpression(Array(parts.joined(separator: [.text(" \(word) ")])))
    }

    static func compared(_ path: Path, _ operation: String, _ value: Any) -> QueryExpression {
        QueryExpression(path).compared(operation, .argument(value))
    }

    /// Compares with the operand after the operation.
    func compared(_ operation: String, _ other: Piece? = nil) -> QueryExpression {
        let operation = Piece.text(" " + operation + " ")
        guard let path, let other else {
            return QueryExpression(pieces + [operation] + (other.map { [$0] } ?? []))
        }
        return QueryExpression([.path(path), operation, other])
    }

    /// The condition: a path to a bool is compared with true.
    var condition: QueryExpression { path.map { .compared($0, "==", true) } ?? self }

    var negated: QueryExpression {
        QueryExpression([.text("NOT (")] + condition.pieces + [.text(")")])
    }

    /// The text, with `$0`, `$1`, … for the arguments.
    var rendered: (text: String, arguments: [Any]) {
        var arguments: [Any] = []
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .argument(let value):
                text += "$" + String(arguments.count)
                arguments.append(value)
            case .path(let path):
                if path.isMany { text += "ANY " }
                if path.hasReservedNames {
                    text += "$K\(arguments.count)"
                    arguments.append(path.text)
                } else {
                    text += path.text
                }
            }
        }
        return (text, arguments)
    }

    /// The number of elements of the condition's collection that meet it.
    var subqueryCount: QueryExpression {
        var collection: ArraySlice<String>?
        let inner = condition.pieces.map { piece -> Piece in
            guard case .path(var path) = piece else { return piece }
            if path.isSubscripted { Misuse.end("Subqueries do not support map subscripts.") }
            guard let end = path.collectionEnds.first,
                collection == nil || collection == path.steps[..<end]
            else { Misuse.end("Subqueries must contain a keypath starting with a collection.") }
            collection = path.steps[..<end]
            path.steps.replaceSubrange(..<end, with: ["$object"])
            path.collectionEnds = path.collectionEnds.dropFirst().map { $0 - end + 1 }
            return .path(path)
        }
        guard let collection else {
            Misuse.end("Subqueries must contain a keypath starting with a collection.")
        }
        return QueryExpression(
            [.text("SUBQUERY("), .path(Path(steps: Array(collection))), .text(", $object, ")]
                + inner + [.text(").@count")])
    }
}

extension QueryExpression {
    /// Whether a value, or one of several values, equals another value.
    ///
    /// An embedded object, or a value that is stored as one, is equal if all its properties are equal.
    static func equal(_ path: Path, _ value: Any) -> QueryExpression {
        guard let object = embedded(value) else { return compared(path, "==", value) }
        let members = memberwise(path, object)
        // All properties must belong to one element.
        return path.isMany ? members.subqueryCount + QueryExpression([.text(" > 0")]) : members
    }

    static func isIn(_ path: Path, _ values: [Any]) -> QueryExpression {
        values.contains { embedded($0) != nil }
            ? joined(values.map { equal(path, $0) }, "OR") : compared(path, "IN", values)
    }

    /// The embedded object that a value is stored as; nil for other values.
    private static func embedded(_ value: Any) -> EmbeddedObject? {
        if value is any _Scalar { return nil }
        if let object = value as? EmbeddedObject { return object }
        return (value as? any _CustomPersistable).flatMap { $0.persistableValue as? EmbeddedObject }
    }

    private static func memberwise(_ path: Path, _ object: EmbeddedObject) -> QueryExpression {
        let model = ModelClass.of(type(of: object))
        let base = Unmanaged.passUnretained(object).toOpaque()
        return joined(
            model.fields.map { field in
                if let reason = field.reasonAgainstEquality {
                    Misuse.end(
                        "Unsupported property '\(model.name).\(field.name)' for memberwise equality query: \(reason)"
                    )
                }
                var path = path
                path.steps.append(field.name)
                return compared(path, "==", field.wrapper.value(base + field.offset, object))
            }, "AND")
    }
}

extension ModelField {
    /// The reason why objects can't be compared by the property; nil if they can.
    fileprivate var reasonAgainstEquality: String? {
        if shape.kind != .single { return "equality on collections is not implemented" }
        if case .object = shape.element.kind { return "object links are not implemented" }
        return nil
    }
}
