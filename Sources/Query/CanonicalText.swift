import ObjectModel

/// Writes checked queries so that equal ones have equal text, whatever their spelling: names become
/// positions, terms of AND and OR stand in a fixed order and once.
struct CanonicalText {
    private(set) var text = ""

    mutating func append(_ predicate: Predicate) {
        switch predicate {
        case .constant(let truth): text += truth ? "T" : "F"
        case .not(let part):
            text += "!"
            append(part)
        case .and(let parts): append(parts, "&")
        case .or(let parts): append(parts, "|")
        case .comparison(let comparison):
            text += "("
            append(comparison.left)
            text += " \(comparison.comparison.rawValue)\(comparison.ignoresCase ? "c" : "")"
            text += comparison.ignoresAccents ? "d " : " "
            append(comparison.right)
            text += ")"
        case .within(let condition):
            text += "("
            append(condition.quantifier)
            append(condition.path)
            text += " in \(condition.region.shape))"
        }
    }

    private mutating func append(_ parts: [Predicate], _ sign: String) {
        var terms = parts.map { part in
            var inner = CanonicalText()
            inner.append(part)
            return inner.text
        }
        terms.sort()
        text += sign + "("
        var previous: String?
        for term in terms where term != previous {
            text += term
            previous = term
        }
        text += ")"
    }

    private mutating func append(_ operand: Operand) {
        switch operand {
        case .path(let path, let quantifier):
            append(quantifier)
            append(path)
        case .constant(let value): append(value)
        case .constants(let values, let quantifier):
            append(quantifier)
            append(.list(values))
        case .expression(let expression, let quantifier):
            append(quantifier)
            append(expression.term)
        }
    }

    private mutating func append(_ term: Expression.Term) {
        switch term {
        case .path(let path): append(path)
        case .constant(let value): append(value)
        case .constants(let values): append(.list(values))
        case .operation(let left, let operation, let right):
            text += "["
            append(left)
            text += operation.sign
            append(right)
            text += "]"
        }
    }

    private mutating func append(_ quantifier: Quantifier?) {
        if let quantifier { text += "q\(quantifier.rawValue)" }
    }

    mutating func append(_ path: ValuePath) {
        for step in path.steps {
            switch step.kind {
            case .linkAt(let position), .embeddedAt(let position):
                text += "\(step.member)["
                append(position)
                text += "]"
            case .inverse: text += "^\(step.toClass).\(step.member)"
            case .link, .embedded, .links, .embeddedList, .mixedLinks: text += "\(step.member)"
            }
            text += "/"
        }
        switch path.terminal {
        case .value(let member), .elements(let member): text += "\(member)"
        case .elementAt(let member, let position):
            text += "\(member)["
            append(position)
            text += "]"
        case .keys(let member): text += "\(member)k"
        case .lengths(let member): text += "\(member)l"
        case .count(let member), .objectCount(let member), .byteCount(let member),
            .presence(let member):
            text += "\(member)#"
        case .presenceAt(let member, let position), .byteCountAt(let member, let position):
            text += "\(member)["
            append(position)
            text += "]#"
        case .inverse(let originClass, let member): text += "^\(originClass).\(member)"
        case .inverseCount(let originClass, let member): text += "^\(originClass).\(member)#"
        case .incomingCount: text += "^#"
        case .aggregate(let function, let member), .objectAggregate(let function, let member):
            text += "\(member)\(function.name)"
        case .mixed(let member, let path):
            text += "\(member)"
            append(path)
        case .subjectMixed(let path):
            text += "self"
            append(path)
        case .matchCount(let predicate):
            text += "?("
            append(predicate)
            text += ")"
        case .subject: text += "self"
        case .subjectByteCount: text += "self#"
        }
    }

    private mutating func append(_ path: MixedPath) {
        for step in path.steps {
            text += "["
            switch step {
            case .key(let key): append(.data(key))
            case .position(let position): append(position)
            case .all: text += "*"
            case .keys: text += "k"
            }
            text += "]"
        }
        switch path.result {
        case .value: break
        case .count: text += "#"
        case .kind: text += "@"
        case .aggregate(let function): text += function.name
        }
    }

    private mutating func append(_ position: ListPosition) {
        switch position {
        case .index(let index): text += "\(index)"
        case .first: text += "0"
        case .last: text += "-1"
        case .key(let key): append(.data(key))
        }
    }

    private mutating func append(_ value: Value) {
        switch value {
        case .null: text += "n"
        case .bool(let value): text += value ? "t" : "f"
        case .int(let value): text += "i\(value)"
        case .double(let value): text += "d\(value.bitPattern)"
        case .float(let value): text += "f\(value.bitPattern)"
        case .decimal(let value): text += "e\(value.high),\(value.low)"
        case .string(let value): text += "s\(value.utf8.count):" + value
        case .data(let bytes):
            text += "b\(bytes.count):"
            for byte in bytes { text += "\(byte)," }
        case .date(let value): text += "D\(value.seconds),\(value.nanoseconds)"
        case .objectID(let value): text += "o" + value.description
        case .uuid(let value): text += "u" + value.description
        case .link(let className, let key):
            text += "L\(className.utf8.count):" + className
            append(key)
        case .list(let values):
            text += "{"
            for value in values {
                append(value)
                text += ","
            }
            text += "}"
        case .map(let entries):
            text += "M{"
            for entry in entries {
                text += "\(entry.key.utf8.count):" + entry.key
                append(entry.value)
            }
            text += "}"
        }
    }

    mutating func append(_ suffix: QuerySuffix) {
        switch suffix {
        case .sort(let keys):
            text += " S"
            for key in keys {
                text += key.isAscending ? "+" : "-"
                append(key.path)
                text += ","
            }
        case .distinct(let keys):
            text += " U"
            for key in keys {
                append(key.path)
                text += ","
            }
        case .limit(let count): text += " L\(count)"
        }
    }
}

extension CompiledQuery {
    /// A text that equal queries on one schema share, whatever their spelling, so that they can share
    /// one evaluation. Only for comparison; not in the query language. Cost: n log n in the terms.
    package var canonicalText: String {
        var writer = CanonicalText()
        writer.append(predicate)
        for suffix in suffixes { writer.append(suffix) }
        switch root {
        case .objects(let classIndex): return "\(classIndex):" + writer.text
        case .values(let scalar): return "\(scalar.name):" + writer.text
        }
    }
}

extension Predicate {
    /// A text that equal predicates on one class share; see ``CompiledQuery/canonicalText``.
    package var canonicalText: String {
        var writer = CanonicalText()
        writer.append(self)
        return writer.text
    }
}
