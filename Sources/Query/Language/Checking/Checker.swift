import HoldfastGeometry
import HoldfastObjectModel
import HoldfastRows

/// Turns syntax into a typed predicate: looks names up, puts arguments in, adapts constants to the
/// types they are compared with, and refuses mismatches.
struct Checker {
    let schema: RowSchema
    let root: QueryRoot
    let source: SourceText
    let arguments: [QueryArgument]
    /// The budget, with each part of the predicate as a step, and the parts that are checked once for all places.
    let work: CheckerWork
    /// The time that `now()` stands for; nil where a query outlives its request.
    var now: Timestamp?
    /// The paths of names by their offsets, where ``GroupFigure``s are compared instead of properties.
    var figures: [Int: ValuePath]?
    /// The variables of the subqueries around, the innermost last.
    var variables: [(name: String, classIndex: Int)] = []
    /// The number of links and embedded objects that lead to the objects of the subquery.
    var outerStepCount = 0
    /// The scope of a rule; nil for every other text.
    var rule: RuleScope?

    /// A constant with where it came from.
    struct Item {
        var value: Value
        /// The number of the argument that it came as.
        var argument: Int?
        /// Whether it came as plain text, which adapts to more types than a literal.
        var isPlainText = false
        /// Whether a decimal is a whole number that does not fit into 64 bits.
        var isWholeNumber = false
        /// The origin of a value of a rule's user; nil for every other value.
        var user: UserOrigin?
        var range: Range<Int>

        var start: Int { range.lowerBound }
    }

    /// One side of a comparison, looked up but not yet adapted.
    enum Side {
        /// A path, or a calculation.
        case values(Operand)
        /// Constants of a list, or else the one that stands for itself.
        case constants([Item], Quantifier?, isList: Bool)
        /// The `@type` of a value that is not `mixed`, as a ``KindSet``: the declared type of a property.
        case kinds(Int64, start: Int)

        var isMany: Bool {
            switch self {
            case .values(let operand): operand.isMany
            case .constants(_, _, let isList): isList
            case .kinds: false
            }
        }

        var quantifier: Quantifier? {
            switch self {
            case .values(let operand): operand.quantifier
            case .constants(_, let quantifier, _): quantifier
            case .kinds: nil
            }
        }

        /// The type of the compared value, unless it is a constant.
        var type: ValueType? {
            if case .values(let operand) = self { operand.pathType } else { nil }
        }

        /// Whether objects are compared, or constants of which one is an object.
        var hasObjects: Bool {
            switch self {
            case .values(let operand):
                if case .link? = operand.pathType { true } else { false }
            case .constants(let items, _, _):
                items.contains { if case .link = $0.value { true } else { false } }
            case .kinds: false
            }
        }

        var isNull: Bool {
            guard case .constants(let items, _, isList: false) = self else { return false }
            return items.allSatisfy { $0.value == .null }
        }

        /// Whether it is a constant, and no value of a rule's user.
        var isLiteral: Bool {
            guard case .constants(let items, _, _) = self else { return false }
            return items.allSatisfy { $0.user == nil }
        }

        /// Whether a text may stand beside it.
        var takesText: Bool {
            switch type {
            case .scalar?, .kinds?: true
            default: false
            }
        }

        /// Whether its values are texts, or may be.
        var isTextual: Bool {
            switch self {
            case .values(.path(let path, _)):
                [.scalar(.string), .scalar(.data), .scalar(.mixed)].contains(path.type)
            case .constants(let items, _, _):
                items.allSatisfy { item in
                    item.value == .null || item.value.scalarType == .string
                        || item.value.scalarType == .data
                }
            case .values, .kinds: false
            }
        }

        /// Whether it is a path to the elements of a collection of plain values.
        var isPrimitiveCollection: Bool {
            if case .values(.path(let path, _)) = self { path.isPrimitiveCollection } else { false }
        }
    }

    func predicate(_ node: Syntax.Node) throws(QueryError) -> Predicate {
        guard work.budget.spend() else { throw source.givenUp() }
        switch node {
        case .truth(let truth): return .constant(truth)
        case .not(let inner): return .not(try predicate(inner))
        case .comparison(let comparison): return try self.comparison(comparison)
        case .between(let left, let right, let start): return try between(left, right, start: start)
        case .within(let left, let region): return try within(left, region)
        case .operand(let operand):
            throw source.syntaxError("syntax error, expected a comparison", at: operand.start)
        case .and(let nodes):
            var all: [Predicate] = []
            all.reserveCapacity(nodes.count)
            for node in nodes { all += try predicate(node).conjuncts }
            return .and(all)
        case .or(let nodes):
            var all: [Predicate] = []
            all.reserveCapacity(nodes.count)
            for node in nodes { all += try predicate(node).disjuncts }
            return .or(all)
        }
    }

    private func comparison(_ syntax: Syntax.Comparison) throws(QueryError) -> Predicate {
        if let plain = plainComparison(syntax) { return .comparison(plain) }
        if syntax.isIn, let region = regionArgument(syntax.right) {
            return try within(syntax.left, region)
        }
        let left = try side(syntax.left)
        let right = try value(syntax.right, beside: left, wantsList: syntax.isIn)
        if syntax.isIn, !right.isMany {
            throw source.fault(
                .type,
                "The keypath following 'IN' must contain a list. Found "
                    + "'\(source.text(syntax.right.range))'", at: syntax.right.start,
                hint: right.isLiteral && syntax.right.range.count <= 120
                    ? "{\(source.text(syntax.right.range))}" : nil)
        }
        if rule != nil {
            try requirePlainUse(left, syntax.relation, right, at: syntax.start)
            if let decided = try userCondition(left, syntax.relation, right, at: syntax.start) {
                return decided
            }
        }
        return .comparison(
            try check(
                left, syntax.relation, right, texts: (syntax.left, syntax.right), at: syntax.start))
    }

    /// Checks the right side; where it is an unknown name, a text without its quotes may be meant.
    private func value(
        _ operand: Syntax.Operand, beside left: Side, wantsList: Bool
    ) throws(QueryError) -> Side {
        do throws(QueryError) {
            return try side(operand, wantsList: wantsList)
        } catch {
            guard error.kind == .unknownProperty, case .property(let range) = operand,
                left.takesText
            else { throw error }
            var error = error
            let name = source.text(range)
            if ["true", "false"].contains(name.lowercased()) {
                error.message += "; true and false are written in lower-case or upper-case letters"
                error.hint = name.lowercased()
                throw error
            }
            if ["undefined", "nil"].contains(name.lowercased()) {
                error.message += "; a missing value is null"
                error.hint = "null"
                throw error
            }
            if name == "$now" {
                error.message += "; the time of the request is now()"
                error.hint = "now()"
                throw error
            }
            let isQuoted = name.first.map(SourceText.typographicQuotes.contains) ?? false
            let quoted =
                isQuoted
                ? "'\(name.filter { !SourceText.typographicQuotes.contains($0) })'" : "'\(name)'"
            error.message += "; a text needs \(isQuoted ? "straight quotes" : "quotes"): \(quoted)"
            error.hint = isQuoted ? quoted : error.hint ?? quoted
            throw error
        }
    }

    /// Makes the comparison of a property of the object itself with a literal of its type, as most are:
    /// nothing has to be adapted, and nothing is refused. Nil for every other.
    private func plainComparison(_ syntax: Syntax.Comparison) -> Comparison? {
        guard !syntax.relation.comparison.isTextual, !syntax.isIn, !syntax.relation.folds,
            case .constant(let constant) = syntax.right, case .value(let value) = constant.kind,
            case .property(let range) = syntax.left, let own = ownValue(range),
            case .scalar(let scalar) = own.type, value.scalarType == scalar
        else { return nil }
        return Comparison(.path(own, nil), syntax.relation, .constant(value))
    }

    /// BETWEEN is `>=` the first and `<=` the second bound.
    private func between(
        _ left: Syntax.Operand, _ right: Syntax.Operand, start: Int
    ) throws(QueryError) -> Predicate {
        let subject = try side(left)
        guard case .constants(let bounds, _, isList: true) = try side(right), bounds.count == 2
        else {
            throw source.fault(
                .type, "Operator 'BETWEEN' requires list with 2 elements.", at: right.start)
        }
        if subject.isMany, subject.quantifier != .all {
            throw source.fault(
                .type, "Only 'ALL' supported for operator 'BETWEEN' when applied to lists.",
                at: left.start)
        }
        func half(_ comparison: ComparisonOperator, _ bound: Item) throws(QueryError) -> Predicate {
            .comparison(
                try check(
                    subject, Relation(comparison), .constants([bound], nil, isList: false),
                    texts: (left, right), at: start))
        }
        return .and([try half(.greaterEqual, bounds[0]), try half(.lessEqual, bounds[1])])
    }

    /// Checks that two sides go together and adapts the constant one, if one is.
    private func check(
        _ left: Side, _ relation: Relation, _ right: Side, texts: (Syntax.Operand, Syntax.Operand),
        at start: Int
    ) throws(QueryError) -> Comparison {
        let comparison = relation.comparison
        let type: ValueType
        switch (left.type, right.type) {
        case (let a?, let b?):
            type = b
            try checkTypes(a, b, at: start)
            if case .embedded = a { throw embeddedComparison(at: start) }
            if left.quantifier == nil, right.quantifier == nil, left.isPrimitiveCollection,
                right.isPrimitiveCollection
            {
                throw source.fault(
                    .type,
                    "Ordered comparison between two primitive lists is not implemented yet "
                        + "('\(source.text(texts.0.range))' and '\(source.text(texts.1.range))')",
                    at: start)
            }
        case (let own?, nil):
            type = own
            try checkLink(left, comparison, right, text: texts.0, at: start)
        case (nil, let own?):
            type = own
            try checkLink(right, comparison, left, text: texts.1, at: start)
        case (nil, nil):
            for case .kinds(_, let start) in [left, right] { throw source.constantKinds(at: start) }
            throw source.fault(.type, "Cannot compare two constants", at: start)
        }
        // A `mixed` value may be a link: the order of its objects is none that a client sees, or a stream follows.
        if comparison.isOrder, left.hasObjects || right.hasObjects {
            throw unsupported(relation, at: start)
        }
        let operands = (
            try adapted(left, to: type, isRight: false, beside: texts.1, at: start),
            try adapted(right, to: type, isRight: true, beside: texts.0, at: start)
        )
        let isEquality = comparison == .equal || comparison == .notEqual
        if type == .kinds, !isEquality { throw unsupported(relation, at: start) }
        var isText = type == .scalar(.string) || type == .scalar(.data)
        if type == .scalar(.mixed) { isText = right.isTextual }
        if comparison.isTextual || (relation.folds && operands.1 != .constant(.null)), !isText {
            throw source.fault(
                .type,
                "Unsupported comparison operator '\(relation.name)' against type '\(type.name)', "
                    + "right side must be a string or binary type", at: start)
        }
        if comparison == .like { try checkWildcards(operands.1, texts.1) }
        let checked = Comparison(operands.0, relation, operands.1)
        if comparison == .matches || comparison == .text {
            try checkPattern(checked, type, texts: texts, at: start)
        }
        return checked
    }

    /// Refuses an operator for values that are only equal or not.
    private func unsupported(_ relation: Relation, at start: Int) -> QueryError {
        source.fault(
            .type,
            "Unsupported operator \(relation.name) in query. Only equal (==) and not equal (!=) are "
                + "supported for this type.", at: start)
    }

    /// Refuses two paths that can't be compared.
    private func checkTypes(_ a: ValueType, _ b: ValueType, at start: Int) throws(QueryError) {
        if a == b || (a.isNumeric && b.isNumeric) { return }
        switch (a, b) {
        case (.scalar(.mixed), .scalar), (.scalar, .scalar(.mixed)): return
        case (.scalar(.mixed), .link), (.link, .scalar(.mixed)): return
        default: throw unsupportedComparison(a.name, b.name, at: start)
        }
    }

    private func embeddedComparison(at start: Int) -> QueryError {
        source.fault(
            .type,
            "An embedded object compares with null only; name one of its properties.", at: start)
    }

    func unsupportedComparison(_ left: String, _ right: String, at start: Int) -> QueryError {
        source.fault(
            .type, "Unsupported comparison between type '\(left)' and type '\(right)'", at: start)
    }

    /// Refuses values that links and embedded objects can't be compared with.
    private func checkLink(
        _ side: Side, _ comparison: ComparisonOperator, _ constant: Side,
        text: Syntax.Operand, at start: Int
    ) throws(QueryError) {
        guard case .values(.path(let path, let quantifier)) = side else { return }
        let isNull = constant.isNull
        switch path.type {
        case .scalar, .kinds: return
        case .link: break
        case .embedded:
            guard isNull, comparison == .equal || comparison == .notEqual else {
                throw embeddedComparison(at: start)
            }
        }
        if isNull, path.isMany, quantifier == nil || !leadsToMapOfObjects(path) {
            throw source.fault(
                .type,
                "Cannot compare linklist ('\(source.text(text.range))') with NULL; "
                    + "compare its '.@count' with 0.", at: start)
        }
    }
}

extension Checker {
    /// Whether a path leads to the values of a map of objects, of which any may be null.
    private func leadsToMapOfObjects(_ path: ValuePath) -> Bool {
        guard case .elements(let member) = path.terminal else { return false }
        return schema.classes[path.lastClass].members[member].storage.shape == .map
    }
}

extension ValuePath {
    /// Whether it leads to the elements of a collection of plain values.
    var isPrimitiveCollection: Bool {
        switch terminal {
        case .elements:
            if case .scalar = type { true } else { false }
        case .keys: true
        default: false
        }
    }
}

/// The budget of a check, and the state that the checkers of one text share, including the checkers of its
/// subqueries. One thread uses it.
final class CheckerWork {
    let budget: Budget
    /// The regions of arguments, by number. A text may name the same argument any number of times.
    var regions: [Int: GeoRegion] = [:]

    /// The effort of compiling the regular expressions, see ``TextPattern/effort(of:ignoresCase:)``.
    var patternEffort = 0

    init(within budget: Budget = Budget()) { self.budget = budget }

    /// Counts the values of a list as memory that the query keeps, at each place where the list stands.
    func keep(valueCount: Int) -> Bool { budget.keep(valueCount * QueryArgument.byteCountOfValue) }
}
