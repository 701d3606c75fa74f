import HoldfastObjectModel
import HoldfastRows

/// Paths of predicates and of SORT and DISTINCT.
extension Checker {
    /// Looks up a path.
    func path(_ syntax: Syntax.Path, clause: String? = nil) throws(QueryError) -> ValuePath {
        try path(resolver(syntax, clause: clause), at: syntax.start)
    }

    /// Returns the finished path.
    func path(_ resolver: PathResolver, at start: Int) throws(QueryError) -> ValuePath {
        let path = try resolver.path(at: start)
        guard MixedDependencies.isBounded(path, schema) else {
            throw source.fault(
                .limit,
                "The path may follow links within mixed values in more than "
                    + "\(MixedDependencies.dependencyCountMax) ways: too many of its names are properties "
                    + "that hold mixed values.", at: start)
        }
        return path
    }

    /// Returns the path to a plain value of the object itself, which most names stand for; nil for every other.
    func ownValue(_ range: Range<Int>) -> ValuePath? {
        if let figures { return figures[range.lowerBound] }
        guard source[range.lowerBound] != UInt8(ascii: "$"), case .objects(let classIndex) = root
        else { return nil }
        let rowClass = schema.classes[classIndex]
        guard let member = source.withBytes(range, { rowClass.names.position(of: $0) }),
            case .single(.scalar(let scalar)) = rowClass.definition.properties[member].type
        else { return nil }
        rule?.note(
            rowClass.definition.name, rowClass.definition.properties[member].name,
            at: range.lowerBound)
        return ValuePath(
            root: root, steps: [], terminal: .value(member: member), type: .scalar(scalar),
            firstMember: member)
    }

    /// Looks up the steps of a path.
    func resolver(_ syntax: Syntax.Path, clause: String? = nil) throws(QueryError) -> PathResolver {
        if figures != nil {
            throw source.fault(
                .unknownProperty,
                "'\(source.text(syntax.range))' is neither 'count' nor one of the operations of 'op'.",
                at: syntax.start)
        }
        if rule != nil, case .values = root {
            throw source.fault(
                .unknownProperty,
                "'\(source.text(syntax.range))' is not a value of the user: 'when' is a condition on '$user' only.",
                at: syntax.start, hint: "$user.id")
        }
        var resolver = PathResolver(
            schema: schema, root: root, source: source, clause: clause,
            outerStepCount: outerStepCount)
        resolver.rule = rule
        var index = 0
        let steps = try withoutVariable(expanded(syntax))
        while index < steps.count {
            let step = steps[index]
            index += 1
            switch step.kind {
            case .name(let name): try resolver.name(name, at: step.start)
            case .count: try resolver.count(at: step.start)
            case .position(let position): try resolver.position(position, at: step.start)
            case .allElements: try resolver.allElements(at: step.start)
            case .keys: try resolver.keys(at: step.start)
            case .values: try resolver.values(at: step.start)
            case .aggregate(let function):
                if index < steps.count, case .name(let name) = steps[index].kind {
                    try resolver.aggregate(
                        function, at: step.start, of: name, nameAt: steps[index].start)
                    index += 1
                } else {
                    try resolver.aggregate(function, at: step.start)
                }
            case .type: try resolver.kind(at: step.start)
            case .argumentIndex(let number):
                try resolver.position(try position(number, at: step.start), at: step.start)
            case .keyPathArgument:
                throw source.syntaxError(
                    "syntax error, a $K argument stands for a whole path", at: step.start)
            case .links:
                if index < steps.count, case .count = steps[index].kind {
                    try resolver.incomingCount(at: step.start)
                    index += 1
                } else if index + 1 < steps.count, case .name(let className) = steps[index].kind,
                    case .name(let property) = steps[index + 1].kind
                {
                    try resolver.links(
                        className: className, classAt: steps[index].start, property: property,
                        propertyAt: steps[index + 1].start)
                    index += 2
                } else {
                    throw source.fault(
                        .type,
                        "'@links' is followed by a class and one of its properties, or by "
                            + "'@count'.", at: step.start)
                }
            }
        }
        return resolver
    }

    /// Returns the steps of a path; for a `$K` argument, the steps of the path in the argument.
    private func expanded(_ syntax: Syntax.Path) throws(QueryError) -> [Syntax.Step] {
        guard let first = syntax.steps.first, case .keyPathArgument(let number) = first.kind else {
            return syntax.steps
        }
        guard syntax.steps.count == 1 else {
            throw source.syntaxError(
                "syntax error, a $K argument stands for a whole path", at: syntax.steps[1].start)
        }
        guard case .string(let text) = try argument(number, at: first.start).value else {
            throw source.fault(
                .argument, "Argument $K\(number) has to be a key path as a string.",
                at: first.start, argument: number)
        }
        let steps: [Syntax.Step]
        do throws(QueryError) {
            var parser = try Parser(SourceText(text))
            parser.isKeyPath = true
            steps = try parser.path(start: 0).steps
            guard parser.token.kind == .end else { throw parser.unexpected("the end of the path") }
        } catch { throw source.fault(error.kind, error.message, at: first.start, argument: number) }
        return steps.map { Syntax.Step(kind: $0.kind, start: first.start) }
    }

    private func position(_ number: Int, at start: Int) throws(QueryError) -> ListPosition {
        switch try argument(number, at: start).value {
        case .int(let position) where position >= 0: return .index(Int(position))
        case .string(let key): return .key(Array(key.utf8))
        default:
            throw source.fault(
                .argument,
                "Argument $\(number) is used as a position or key: an integer from 0 or a string "
                    + "is expected.", at: start, argument: number)
        }
    }

    /// Checks the suffixes and makes one of consecutive SORTs: the later one counts more.
    func suffixes(_ syntax: [Syntax.Suffix]) throws(QueryError) -> [QuerySuffix] {
        var suffixes: [QuerySuffix] = []
        var keyCount = 0
        for suffix in syntax {
            switch suffix {
            case .limit(let count): suffixes.append(.limit(count))
            case .distinct(let paths):
                try limit(&keyCount, adding: paths.count, at: paths.first?.start)
                suffixes.append(
                    .distinct(
                        try paths.map { (path) throws(QueryError) in
                            try key(path, true, clause: "distinct")
                        }))
            case .sort(let items):
                try limit(&keyCount, adding: items.count, at: items.first?.path.start)
                let keys = try items.map { (item) throws(QueryError) in
                    try key(item.path, item.isAscending, clause: "sort")
                }
                if case .sort(let earlier)? = suffixes.last {
                    suffixes[suffixes.count - 1] = .sort(keys + earlier)
                } else {
                    suffixes.append(.sort(keys))
                }
            }
        }
        return suffixes
    }

    /// The most paths that a query may be sorted and made distinct by.
    static let sortKeyCountMax = 100

    private func limit(_ count: inout Int, adding more: Int, at start: Int?) throws(QueryError) {
        count += more
        guard count <= Self.sortKeyCountMax else {
            throw source.fault(
                .limit,
                "A query has at most \(Self.sortKeyCountMax) paths to sort or be distinct by.",
                at: start ?? 0)
        }
    }

    /// Looks up a path to sort or be distinct by.
    func key(
        _ syntax: Syntax.Path, _ isAscending: Bool, clause: String
    ) throws(QueryError) -> SortKey {
        let path = try path(syntax, clause: clause)
        if let message = path.obstacle(toClause: clause) {
            throw source.fault(.type, message, at: syntax.start)
        }
        return SortKey(path: path, isAscending: isAscending)
    }
}

extension ValuePath {
    /// Returns the reason why the path cannot be sorted or made distinct by; nil when it can.
    func obstacle(toClause clause: String) -> String? {
        // Groups may have several.
        if isMany, clause != "by" { return Self.needsOne(clause) }
        switch type {
        case .scalar: return nil
        case .kinds: return "The '\(clause)' clause can't use '@type'."
        case .link where clause == "distinct" || clause == "by": return nil
        case .link, .embedded:
            return "The '\(clause)' clause can't use an object; name one of its properties."
        }
    }

    /// Returns the reason why a path to several values can't be used.
    static func needsOne(_ clause: String) -> String {
        "The '\(clause)' clause needs a path to one value: it can't go through a collection or an inverse link, "
            + "only count it with '.@count'."
    }
}
