import HoldfastObjectModel
import HoldfastTestSupport

/// What only full schemas have.
extension RandomSchema {
    /// States of some properties what they may hold, whether that is unique, and what becomes of links.
    func addRules(
        _ property: inout Property, _ objectClass: ObjectClass, _ target: ObjectClass,
        _ random: inout SeededGenerator
    ) {
        guard isFull else { return }
        if case .object? = property.type.element {
            if target.kind == .object { changeRule(&property, objectClass, &random) }
            return
        }
        if Int.random(in: 0..<8, using: &random) == 0 { addCases(&property, &random) }
        guard property.canBeUnique(in: objectClass), Int.random(in: 0..<8, using: &random) == 0
        else { return }
        property.isOptional = property.scalar != .mixed && Int.random(in: 0..<4, using: &random) > 0
        property.defaultValue = nil
        // A date that is required now, and has no default, begins as the time of its transaction.
        property.isUnique = property.canBeUnique(in: objectClass)
    }

    /// Gives a link another rule for deletion.
    func changeRule(
        _ property: inout Property, _ objectClass: ObjectClass, _ random: inout SeededGenerator
    ) {
        let rules: [OnDelete] =
            objectClass.kind == .embedded ? [embeddedRule] : [.cascade, .deny, .deny]
        property.onDelete =
            Int.random(in: 0..<4, using: &random) > 0
            ? .nullify : rules.randomElement(using: &random) ?? .nullify
    }

    /// Makes a property an enum of some values.
    func addCases(_ property: inout Property, _ random: inout SeededGenerator) {
        guard let scalar = property.scalar, scalar != .mixed else { return }
        var cases: [Value] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let value = RandomContent.scalar(scalar, &random)
            if !cases.contains(value) { cases.append(value) }
        }
        property.cases = cases
        property.defaultValue = nil
    }

    /// Makes two properties of a class a unique group, if they can be.
    func addUniqueGroup(
        _ objectClass: inout ObjectClass, _ classes: [ObjectClass],
        _ random: inout SeededGenerator
    ) {
        guard isFull, objectClass.kind == .object, Int.random(in: 0..<4, using: &random) == 0
        else { return }
        let able = objectClass.properties.filter { $0.canBeInGroup(of: objectClass, classes) }
            .map(\.name)
        let group = Array(able.shuffled(using: &random).prefix(2))
        if !group.isEmpty, !objectClass.uniqueGroups.contains(where: { Set($0) == Set(group) }) {
            objectClass.uniqueGroups.append(group)
        }
    }
}

extension Property {
    /// Whether the model can tell that values of it are unique: not those that are the time of a write.
    func canBeUnique(in objectClass: ObjectClass) -> Bool {
        guard objectClass.kind == .object, objectClass.primaryKey != name,
            case .single(.scalar(let scalar)) = type
        else { return false }
        return scalar.canBeIndexed && effectiveDefault != .now
    }

    /// Whether the model can tell that values of it are unique together with others.
    func canBeInGroup(of objectClass: ObjectClass, _ classes: [ObjectClass]) -> Bool {
        if case .single(.object(let target)) = type {
            return classes.contains { $0.name == target && $0.kind == .object }
        }
        return canBeUnique(in: objectClass)
    }
}
