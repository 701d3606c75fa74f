import HoldfastObjectModel
import HoldfastRows

/// `$user` in rules: an argument with a value of each user.
extension Checker {
    /// The origin of a user's value, as far as the rule says.
    enum UserOrigin: Equatable {
        case id
        case claim
        /// At the end of a path from the user's object.
        case object(ValueType)
    }

    /// Returns the path of an operand that begins with `$user`; nil for another.
    func userPath(_ operand: Syntax.Operand) -> Syntax.Path? {
        let path: Syntax.Path
        switch operand {
        case .property(let range) where source[range.lowerBound] == UInt8(ascii: "$"):
            path = Syntax.Path(
                steps: [Syntax.Step(kind: .name(source.text(range)), start: range.lowerBound)],
                range: range)
        case .path(let known): path = known
        default: return nil
        }
        guard case .name(Self.userName)? = path.steps.first?.kind,
            !variables.contains(where: { $0.name == Self.userName })
        else { return nil }
        return path
    }

    static let userName = "$user"

    /// Resolves a reference to the user.
    ///
    /// - `wantsList`: Whether `IN` stands before it.
    func userSide(_ path: Syntax.Path, wantsList: Bool) throws(QueryError) -> Side {
        guard let rule else {
            throw source.fault(
                .type,
                "'$user' is only allowed in the rules of the access document; here state the value, or pass it as an "
                    + "argument.", at: path.start, hint: "$0")
        }
        let isList = wantsList || path.quantifier != nil
        let (reference, origin) = try userReference(path, isList: isList, rule)
        rule.note(reference, at: path.range)
        var values = [sample(of: origin)]
        if let facts = rule.facts {
            switch facts.value(of: reference) {
            case .one(let value) where !isList: values = [value]
            case .many(let many) where isList: values = many
            default: rule.isLacking = true
            }
        }
        let items = values.map { value in
            Item(value: value, isPlainText: true, user: origin, range: path.range)
        }
        return .constants(items, path.quantifier, isList: isList)
    }

    private func userReference(
        _ path: Syntax.Path, isList: Bool, _ rule: RuleScope
    ) throws(QueryError) -> (UserReference, UserOrigin) {
        let names = path.steps.dropFirst().compactMap { step -> String? in
            switch step.kind {
            case .name(let name): name
            case .position(.key(let bytes)): String(decoding: bytes, as: UTF8.self)
            default: nil
            }
        }
        guard path.steps.count > 1, case .name(let first) = path.steps[1].kind else {
            if case .position(.key)? = path.steps.dropFirst().first?.kind {
                return try claim(names, path)
            }
            throw source.fault(
                .type,
                "'$user' is followed by 'id', by a claim, or by 'object' and a property of the user's object.",
                at: path.start, hint: "$user.id")
        }
        if first == "object" { return try userObject(path, isList: isList, rule) }
        guard first == "id" else { return try claim(names, path) }
        guard path.steps.count == 2, !isList else {
            throw source.fault(
                .type, "'$user.id' is a single text: it has no members, and it is not a list.",
                at: path.start)
        }
        return (.id, .id)
    }

    private func claim(
        _ names: [String], _ path: Syntax.Path
    ) throws(QueryError) -> (UserReference, UserOrigin) {
        guard names.count == path.steps.count - 1 else {
            throw source.fault(
                .type, "A claim is a path of member names, as in $user.org.unit.",
                at: path.start)
        }
        return (.claim(names), .claim)
    }

    private func userObject(
        _ path: Syntax.Path, isList: Bool, _ rule: RuleScope
    ) throws(QueryError) -> (UserReference, UserOrigin) {
        guard let usersClass = rule.usersClass else {
            throw source.fault(
                .type,
                "'$user.object' needs a class of users: the access document names it as 'users'.",
                at: path.start)
        }
        let behind = Array(path.steps.dropFirst(2))
        guard let start = behind.first?.start else {
            throw source.fault(
                .type,
                "'$user.object' is followed by one of the object's properties; the object itself is compared by its key.",
                at: path.start, hint: "$user.id")
        }
        var checker = Checker(
            schema: schema, root: .objects(classIndex: usersClass), source: source, arguments: [],
            work: work)
        checker.rule = rule
        let found = try checker.path(
            Syntax.Path(steps: behind, range: start..<path.range.upperBound))
        guard found.isMany == isList else {
            throw source.fault(
                .type,
                found.isMany
                    ? "'\(source.text(path.range))' has several values: compare with IN, or with ANY before it."
                    : "The keypath following 'IN' must contain a list. Found '\(source.text(path.range))'",
                at: path.start)
        }
        switch found.type {
        case .scalar, .link: return (.object(found), .object(found.type))
        case .embedded, .kinds:
            throw source.fault(
                .type,
                "A rule compares values and links of the user's object; name one of its properties.",
                at: path.start)
        }
    }

    // MARK: Types

    /// Returns a user's value in the form that a type compares with. Without such a form the user lacks the value of the rule,
    /// and if no user's value has one, the rule is refused.
    func userValue(
        _ item: Item, _ origin: UserOrigin, as type: ValueType
    ) throws(QueryError) -> Value {
        if let rule, rule.facts != nil {
            if let value = try fitted(item, to: type) { return value }
            rule.isLacking = true
        } else if !mayBe(origin, type) {
            throw source.fault(
                .type,
                "'\(source.text(item.range))' can't be compared with a value of type '\(type.name)'"
                    + (isKeyless(type) ? ", whose class has no primary key" : ""), at: item.start)
        }
        return sample(of: .object(type))
    }

    private func mayBe(_ origin: UserOrigin, _ type: ValueType) -> Bool {
        switch (origin, type) {
        case (_, .embedded), (_, .kinds): return false
        case (.object(.link(let own)), .link(let classIndex)): return own == classIndex
        case (.object(.link), .scalar): return false
        case (_, .link):
            guard let key = keyType(type) else { return false }
            return mayBe(origin, .scalar(key))
        case (_, .scalar(.mixed)), (.claim, .scalar): return true
        case (.id, .scalar(let scalar)):
            return [.string, .uuid, .objectID].contains(scalar) || scalar.widened == .int
        case (.object(let own), .scalar):
            return own == type || own == .scalar(.mixed) || own.isNumeric && type.isNumeric
        }
    }

    private func isKeyless(_ type: ValueType) -> Bool {
        if case .link = type { keyType(type) == nil } else { false }
    }

    /// The type of the keys of the objects that links lead to; nil if their class has no keys.
    func keyType(_ type: ValueType) -> ScalarType? {
        guard case .link(let classIndex) = type, classIndex >= 0,
            let member = schema.classes[classIndex].primaryKeyIndex,
            case .single(.scalar(let scalar)) = schema.classes[classIndex].definition
                .properties[member].type
        else { return nil }
        return scalar
    }

    /// Returns a user's value in a type; nil when it is null, or of another.
    private func fitted(_ item: Item, to type: ValueType) throws(QueryError) -> Value? {
        var item = item
        item.user = nil
        switch (type, item.value) {
        case (.link(let classIndex), .link(let className, _)):
            return schema.classes[classIndex].definition.name.isSame(as: className)
                ? item.value : nil
        case (.link(let classIndex), _):
            guard let key = keyType(type), let value = try fitted(item, to: .scalar(key)) else {
                return nil
            }
            return .link(className: schema.classes[classIndex].definition.name, key: value)
        case (.scalar(.mixed), let value): return value.scalarType == nil ? nil : value
        case (.scalar(let scalar), _):
            guard let value = try adapted(item, to: type, isStrict: false),
                let found = value.scalarType
            else { return nil }
            if case .string(let text) = item.value, !text.isSame(as: value.keyText ?? text) {
                return nil
            }
            if scalar.widened == .int { return found == .int ? value : nil }
            if type.isNumeric { return Number(value).map(\.isNaN) == false ? value : nil }
            return found == scalar ? value : nil
        case (.embedded, _), (.kinds, _): return nil
        }
    }

    /// Returns a value that stands for a user's values if a rule is only checked.
    private func sample(of origin: UserOrigin) -> Value {
        guard case .object(let type) = origin else { return .string("") }
        switch type {
        case .link(let classIndex):
            let key = keyType(type).map { sample(of: .object(.scalar($0))) } ?? .int(0)
            return .link(className: schema.classes[classIndex].definition.name, key: key)
        case .scalar(let scalar) where scalar != .mixed: return scalar.zero
        case .scalar, .embedded, .kinds: return .string("")
        }
    }
}
