import HoldfastObjectModel
import HoldfastRows

/// Compares a stored schema with a proposed one and lists the steps between them. Makes no numbers and
/// reads no rows; ``SchemaChange`` makes the catalog that follows.
///
/// To teach it another difference, compare it in `compareClass` or `compareProperty`: add a step, and a
/// check if data may be lost by it.
struct SchemaComparison {
    /// A property of a proposed class and the stored one that it was.
    struct MemberMatch {
        /// The stored property, by position.
        var old: Int
        /// The conversion of its values to the proposed property; nil if both are stored alike.
        var conversion: ValueConversion?
    }

    let present: Catalog
    let proposed: Schema
    let renames: SchemaRenames
    /// The numbers of stored properties with values that do not fit although they are stored alike. They are converted.
    let repairs: Set<UInt32>

    /// The steps, in the order of the proposed schema.
    private(set) var steps: [SchemaStep] = []
    /// The faults of changes that can't be made.
    private(set) var refusals: [SchemaFault] = []
    /// The stored class of each proposed one, by position; nil for one that is added.
    private(set) var oldClasses: [Int?] = []
    /// The proposed class of each stored one; nil for one that goes.
    private(set) var newClasses: [Int?] = []
    /// For each proposed class the matches of its properties; nil for one that is added.
    private(set) var members: [[MemberMatch?]] = []
    /// For each stored class, the possible losses in its rows.
    private(set) var checks: [[RowConversion.Check]] = []
    /// The refusal of each stored class, by position, if it holds objects.
    private(set) var emptinessTests: [Int: SchemaFault] = [:]
    /// The numbers of the classes that go.
    private var lostClasses: Set<UInt32> = []
    /// The class that is being compared.
    private var classIndexes: (old: Int, new: Int) = (0, 0)

    init(from present: Catalog, to proposal: SchemaProposal, repairs: Set<UInt32>) {
        self.present = present
        proposed = proposal.schema
        renames = proposal.renames
        self.repairs = repairs
        matchClasses()
        if let version = proposed.schemaVersion, version != present.schema.schemaVersion {
            steps.append(SchemaStep(operation: .setSchemaVersion))
        }
        checks = Array(repeating: [], count: present.rows.classes.count)
        let lost = present.rows.classes.filter {
            newClasses[$0.index] == nil && $0.definition.kind == .object
        }
        lostClasses = Set(lost.map(\.number))
        for (new, objectClass) in proposed.classes.enumerated() {
            members.append(Array(repeating: nil, count: objectClass.properties.count))
            guard let old = oldClasses[new] else {
                steps.append(SchemaStep(operation: .addClass, className: objectClass.name))
                continue
            }
            classIndexes = (old, new)
            compareClass(present.rows.classes[old], objectClass)
        }
        for (old, rowClass) in present.rows.classes.enumerated() where newClasses[old] == nil {
            steps.append(
                SchemaStep(operation: .dropClass, className: rowClass.definition.name, source: old))
        }
        convertLinksOfLostOwners()
    }

    private mutating func matchClasses() {
        newClasses = Array(repeating: nil, count: present.rows.classes.count)
        for (new, objectClass) in proposed.classes.enumerated() {
            let name = renames.oldName(ofClass: objectClass.name)
            guard renames.newName(ofClass: name).isSame(as: objectClass.name),
                let old = present.rows.classIndex[name]
            else {
                oldClasses.append(nil)
                continue
            }
            oldClasses.append(old)
            newClasses[old] = new
        }
    }

    // MARK: Steps

    private mutating func refuse(_ property: String?, _ detail: String) {
        refusals.append(
            SchemaFault(
                className: proposed.classes[classIndexes.new].name, property: property,
                detail: detail))
    }

    /// Adds a step of the class that is being compared; returns its position.
    @discardableResult
    private mutating func step(
        _ operation: SchemaStep.Operation, _ property: String? = nil,
        from formerName: String? = nil,
        isStrict: Bool = false
    ) -> Int {
        steps.append(
            SchemaStep(
                operation: operation, className: proposed.classes[classIndexes.new].name,
                property: property, formerName: formerName, source: classIndexes.old,
                isStrict: isStrict))
        return steps.count - 1
    }

    private mutating func check(_ member: Int, _ loss: RowConversion.Check.Loss, step: Int) {
        checks[classIndexes.old].append(RowConversion.Check(member: member, loss: loss, step: step))
    }

    // MARK: Classes

    private mutating func compareClass(_ old: RowClass, _ new: ObjectClass) {
        if !old.definition.name.isSame(as: new.name) {
            step(.renameClass, from: old.definition.name)
        }
        if old.definition.kind != new.kind { compareKinds(old, new) }
        let oldMembers = new.properties.map { matchedMember(of: $0, old, new) }
        let keyMember = new.primaryKey.flatMap { new.propertyIndex(named: $0) }
        if old.primaryKeyIndex != keyMember.flatMap({ oldMembers[$0] })
            || (old.primaryKeyIndex == nil) != (keyMember == nil)
        {
            step(.changePrimaryKey, new.primaryKey)
        }
        for (member, property) in new.properties.enumerated() {
            guard let position = oldMembers[member] else {
                step(.addProperty, property.name)
                continue
            }
            members[classIndexes.new][member] = compareProperty(old, position, property, new)
        }
        compareGroups(old, new, oldMembers)
        let kept = Set(oldMembers.compactMap { $0 })
        for (position, property) in old.definition.properties.enumerated()
        where !kept.contains(position) {
            let step = step(.dropProperty, property.name)
            if old.members[position].storage.shape != .none {
                check(position, .anything, step: step)
            }
        }
    }

    private mutating func compareKinds(_ old: RowClass, _ new: ObjectClass) {
        guard old.definition.kind.standsAlone, new.kind.standsAlone else {
            return refuse(
                nil,
                "A class can't become embedded, and an embedded class can't become another kind: "
                    + "add a class of the other kind, copy the objects, and drop this one.")
        }
        step(.changeKind)
        emptinessTests[classIndexes.old] = SchemaFault(
            className: new.name,
            detail:
                "A class can become '\(new.kind.rawValue)' only while it has no objects; delete or "
                + "acknowledge them first.")
    }

    private mutating func compareGroups(_ old: RowClass, _ new: ObjectClass, _ oldMembers: [Int?]) {
        let before = old.uniqueKeys.filter(\.isGroup).map(\.members)
        let after = new.uniqueGroups.map { names in
            names.compactMap { new.propertyIndex(named: $0) }.map { oldMembers[$0] ?? -1 }
        }
        for (names, members) in zip(new.uniqueGroups, after) where !before.contains(members) {
            step(.addUnique, names.joined(separator: ","))
        }
        for (names, members) in zip(old.definition.uniqueGroups, before)
        where !after.contains(members) {
            step(.dropUnique, names.joined(separator: ","))
        }
    }

    /// Finds the stored property that a proposed one was.
    private func matchedMember(of property: Property, _ old: RowClass, _ new: ObjectClass) -> Int? {
        let name = renames.oldName(ofProperty: property.name, inNew: new.name)
        guard
            renames.newName(ofProperty: name, inOld: old.definition.name).isSame(as: property.name),
            let position = old.names.position(of: name)
        else { return nil }
        // An inverse link holds nothing that a stored property could take over, nor the other way round.
        let wasStored = old.members[position].storage.shape != .none
        if case .linkingObjects = property.type { return wasStored ? nil : position }
        return wasStored ? position : nil
    }

    // MARK: Properties

    private mutating func compareProperty(
        _ oldClass: RowClass, _ position: Int, _ new: Property, _ newClass: ObjectClass
    ) -> MemberMatch {
        let old = oldClass.definition.properties[position]
        let member = oldClass.members[position]
        if !old.name.isSame(as: new.name) { step(.renameProperty, new.name, from: old.name) }
        defer {
            if old.isIndexed != new.isIndexed {
                step(new.isIndexed ? .addIndex : .dropIndex, new.name)
            }
            if old.searchIndex != new.searchIndex {
                if old.searchIndex != nil { step(.dropIndex, new.name) }
                if new.searchIndex != nil { step(.addIndex, new.name) }
            }
            if old.isUnique != new.isUnique {
                step(new.isUnique ? .addUnique : .dropUnique, new.name)
            }
            if old.isRequired != new.isRequired {
                step(new.isRequired ? .addRequired : .dropRequired, new.name)
            }
            if old.onDelete != new.onDelete { step(.changeOnDelete, new.name) }
            if old.defaultValue != new.defaultValue { step(.changeDefault, new.name) }
            if !old.mapTo.isSame(as: new.mapTo) { step(.changeMapTo, new.name) }
        }
        guard member.storage.shape != .none else {
            if renamed(old.type) != new.type { step(.changeType, new.name) }
            return MemberMatch(old: position)
        }
        let storage = Catalog.storage(of: new, in: proposed)
        let sameClass = isSameClass(member, new)
        var conversion = ValueConversion(
            from: member.storage, to: storage, property: new,
            keepsObjects: sameClass && storage.element == member.storage.element
                && new.scalar == nil)
        conversion.linkTarget = linkTarget(member)
        conversion.lostClasses = lostClasses
        let isSame = member.storage == storage && (new.scalar != nil || sameClass)
        let isKey = newClass.primaryKey.isSame(as: new.name)
        let changesType = !isSame || old.scalar != new.scalar
        var isChecked = false
        if changesType {
            let step = step(.changeType, new.name, isStrict: isKey)
            var loss = conversion
            // Null in an otherwise unchanged property is a step of its own.
            if old.type.isCollection == new.type.isCollection { loss.isOptional = true }
            let widens = old.scalar?.widened == new.scalar?.widened && contains(new, old)
            isChecked = !isSame || !widens
            if isChecked { check(position, .unconvertible(loss), step: step) }
        }
        if old.allowsNull != new.allowsNull, old.type.isCollection == new.type.isCollection {
            // One object at most has null for a key; that another has the default's key is found with the keys.
            let step = step(new.allowsNull ? .makeOptional : .makeRequired, new.name)
            if !new.allowsNull, new.scalar != nil, let scalar = old.scalar {
                var loss = conversion
                loss.to = loss.from
                loss.scalar = scalar
                loss.cases = nil
                check(position, .unconvertible(loss), step: step)
            }
        }
        if old.cases != new.cases {
            let step = step(.changeEnum, new.name, isStrict: isKey)
            if let cases = new.cases, !isChecked, changesType || !cases.containsAll(of: old.cases) {
                var loss = conversion
                loss.isOptional = true
                check(position, .unconvertible(loss), step: step)
            }
        }
        if isSame, member.storage.element == .mixed, !lostClasses.isEmpty {
            check(position, .unconvertible(conversion), step: step(.dropLinks, new.name))
        }
        guard isSame, !repairs.contains(member.number) else {
            conversion.keepsObjects = conversion.keepsObjects && new.scalar == nil
            return MemberMatch(old: position, conversion: conversion)
        }
        return MemberMatch(old: position)
    }

    /// Whether a property of integers takes every value of another.
    private func contains(_ new: Property, _ old: Property) -> Bool {
        guard let range = new.scalar?.narrowRange else { return true }
        guard let before = old.scalar?.integerRange else { return false }
        return range.contains(before.lowerBound) && range.contains(before.upperBound)
    }

    /// Returns the number of the class that a stored property links to; nil for others, and when the class goes.
    private func linkTarget(_ member: RowClass.Member) -> UInt32? {
        guard member.storage.element == .link, member.classIndex >= 0,
            newClasses[member.classIndex] != nil
        else { return nil }
        return present.rows.classes[member.classIndex].number
    }

    /// Whether a proposed property holds objects of the class that a stored one holds.
    private func isSameClass(_ member: RowClass.Member, _ new: Property) -> Bool {
        guard case .object(let name)? = new.type.element, member.classIndex >= 0 else {
            return false
        }
        return newClasses[member.classIndex].map { proposed.classes[$0].name.isSame(as: name) }
            ?? false
    }

    /// Returns the type of an inverse link with the proposed names.
    private func renamed(_ type: PropertyType) -> PropertyType {
        guard case .linkingObjects(let className, let property) = type else { return type }
        return .linkingObjects(
            className: renames.newName(ofClass: className),
            property: renames.newName(ofProperty: property, inOld: className))
    }

    // MARK: Links in embedded objects

    /// Converts the links of embedded classes that lose some objects together with a property that contained them.
    ///
    /// An inverse link counts the links of its origin through one property wherever they stand in the object. Where some of them
    /// go and the property stays, it gets another number and the links are counted again.
    private mutating func convertLinksOfLostOwners() {
        let classes = present.rows.classes
        var lost: Set<Int> = []
        for (old, rowClass) in classes.enumerated() {
            guard let new = newClasses[old] else { continue }
            for (position, member) in rowClass.members.enumerated()
            where member.storage.element == .embedded && member.storage.shape != .none {
                let match = members[new].first { $0?.old == position } ?? nil
                if match == nil || match?.conversion != nil { lost.insert(member.classIndex) }
            }
        }
        var waiting = Array(lost)
        while let position = waiting.popLast() {
            for member in classes[position].members
            where member.storage.element == .embedded && member.storage.shape != .none
                && lost.insert(member.classIndex).inserted
            {
                waiting.append(member.classIndex)
            }
        }
        for position in lost {
            guard let new = newClasses[position] else { continue }
            for index in members[new].indices {
                guard let match = members[new][index], match.conversion == nil else { continue }
                let storage = classes[position].members[match.old].storage
                guard storage.shape != .none, storage.element == .link || storage.element == .mixed
                else { continue }
                var conversion = ValueConversion(
                    from: storage, to: storage, property: proposed.classes[new].properties[index],
                    keepsObjects: storage.element == .link)
                conversion.lostClasses = lostClasses
                members[new][index]?.conversion = conversion
            }
        }
    }
}

extension [Value] {
    /// Whether every value of an enum is in this one; nil stands for any value.
    func containsAll(of others: [Value]?) -> Bool {
        guard let others else { return false }
        return Set(others).isSubset(of: self)
    }
}

extension Property {
    fileprivate var allowsNull: Bool { isOptional || scalar == .mixed }
}

extension SchemaComparison {
    /// Whether a property with a geographic index holds the same points as before: its class takes
    /// type and coordinates from where it took them. The property itself is stored as it was.
    func keepsPoints(_ property: Property) -> Bool {
        guard case .object(let name)? = property.type.element,
            let new = proposed.classes.firstIndex(where: { $0.name.isSame(as: name) }),
            let old = oldClasses[new],
            let before = present.rows.classes[old].definition.pointMembers,
            let after = proposed.classes[new].pointMembers
        else { return false }
        func isKept(_ old: Int, _ member: Int) -> Bool {
            members[new][member].map { $0.old == old && $0.conversion == nil } ?? false
        }
        return isKept(before.type, after.type) && isKept(before.coordinates, after.coordinates)
    }
}
