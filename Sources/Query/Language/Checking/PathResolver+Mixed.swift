import HoldfastObjectModel
import HoldfastRows

/// Paths within `mixed` values, which have no declared shape, and `@type`.
extension PathResolver {
    /// The property whose `mixed` values the path stands on, and the steps within them; nil elsewhere. Where
    /// values are filtered, the value itself has no property: −1.
    private var mixedEnd: (member: Int, steps: [MixedPath.Step])? {
        switch pending {
        case .mixed(let member, let steps): return steps.last == .keys ? nil : (member, steps)
        case .terminal(.subject, .scalar(.mixed)): return (-1, [])
        case .member(let member, let position):
            let storage = rowClass.members[member].storage
            guard storage.element == .mixed else { return nil }
            if storage.shape == .single { return (member, []) }
            if let position { return (member, [.position(position)]) }
            return isIndexed ? (member, [.all]) : nil
        case .nothing, .inverse, .lengths, .terminal: return nil
        }
    }

    /// Whether a step from here leads within `mixed` values.
    var standsInMixed: Bool { mixedEnd != nil }

    /// Whether the path stands on a whole collection of `mixed` values, as it is declared.
    private var standsOnMixedCollection: Bool {
        guard case .member(let member, nil) = pending else { return false }
        let storage = rowClass.members[member].storage
        return storage.element == .mixed && storage.shape != .single
    }

    /// Takes a step within `mixed` values, if the path stands on some.
    mutating func enterMixed(_ step: MixedPath.Step, at offset: Int) throws(QueryError) -> Bool {
        guard let (member, steps) = mixedEnd else { return false }
        guard steps.count < MixedPath.stepCountMax else {
            throw source.fault(
                .limit,
                "A path within a mixed value has at most \(MixedPath.stepCountMax) steps.",
                at: offset)
        }
        pending = .mixed(member, steps + [step])
        namedMember = nil
        return true
    }

    /// Takes `@count` or an aggregate of `mixed` values, if the path stands on some and not on a whole collection of them.
    mutating func finishMixed(_ result: MixedPath.Result, _ type: ValueType) -> Bool {
        guard !standsOnMixedCollection, let (member, steps) = mixedEnd else { return false }
        finish(member, MixedPath(steps: steps, result: result), type)
        return true
    }

    /// Takes `@type`: of `mixed` values, or else the declared type, as ``declaredKinds``.
    mutating func kind(at offset: Int) throws(QueryError) {
        var end = mixedEnd
        if end == nil, standsOnMixedCollection, case .member(let member, _) = pending {
            end = (member, [.all])
        }
        if let (member, steps) = end {
            finish(member, MixedPath(steps: steps, result: .kind), .kinds)
        } else if let kind = declaredKind {
            declaredKinds = (KindSet.of(kind), offset)
        } else {
            throw source.constantKinds(at: offset)
        }
    }

    /// The type of the value at the end of the path; nil without a type.
    private var declaredKind: MixedKind? {
        switch pending {
        case .member(let member, _):
            return MixedKind(stored: rowClass.members[member].storage.element)
        case .inverse(let originClass, _):
            return schema.classes[originClass].definition.kind == .embedded ? .map : .link
        case .terminal(.subject, .scalar(let scalar)):
            return MixedKind(stored: ElementStorage(scalar))
        case .nothing, .lengths, .mixed, .terminal: return nil
        }
    }

    private mutating func finish(_ member: Int, _ path: MixedPath, _ type: ValueType) {
        pending = .terminal(member < 0 ? .subjectMixed(path) : .mixed(member: member, path), type)
    }

    /// Returns the finished path within `mixed` values.
    func mixedTerminal(
        _ member: Int, _ steps: [MixedPath.Step]
    ) -> (ValuePath.Terminal, ValueType) {
        let path = MixedPath(steps: steps, result: .value)
        return (
            member < 0 ? .subjectMixed(path) : .mixed(member: member, path),
            .scalar(steps.last == .keys ? .string : .mixed)
        )
    }
}

extension SourceText {
    /// Refuses a declared type beside anything but the `@type` of `mixed` values.
    func constantKinds(at offset: Int) -> QueryError {
        fault(
            .type,
            "Comparison between two constants is not supported: '@type' asks for the type of mixed values, "
                + "the other properties' types are known. It compares with the '@type' of mixed values only.",
            at: offset)
    }
}
