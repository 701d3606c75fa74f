extension Schema {
    /// All faults of the schema, in the order of its classes; empty if it is valid. For a schema with too many classes, that is
    /// the only fault.
    package func faults() -> [SchemaFault] {
        var faults: [SchemaFault] = []
        guard classes.count <= ModelLimits.classCountMax else {
            return [
                SchemaFault(detail: "A schema has at most \(ModelLimits.classCountMax) classes.")
            ]
        }
        var byName = [ExactText: ObjectClass](minimumCapacity: classes.count)
        for objectClass in classes {
            if byName.updateValue(objectClass, forKey: ExactText(objectClass.name)) != nil {
                faults.append(
                    SchemaFault(
                        className: objectClass.name,
                        detail: "Two classes are named '\(objectClass.name)'; names are unique."))
            }
        }
        for objectClass in classes where objectClass.properties.count > ModelLimits.propertyCountMax
        {
            faults.append(
                SchemaFault(
                    className: objectClass.name,
                    detail: "A class has at most \(ModelLimits.propertyCountMax) properties."))
        }
        guard faults.isEmpty else { return faults }
        let origins = OriginProperties()
        for objectClass in classes { objectClass.collectFaults(byName, origins, into: &faults) }
        return faults
    }

    /// Finds the faults of a name. It must consist of letters and digits of any script, `_`, `-` and blanks, and begin with a
    /// letter or `_`.
    ///
    ///
    /// - `subject`: The named thing as the subject of a sentence; `kind`: any name of its kind.
    static func faults(
        ofName name: String, _ subject: String, _ kind: String, byteCountMax: Int
    ) -> [String] {
        var faults: [String] = []
        if name.utf8.count > byteCountMax {
            faults.append(
                "\(subject) has \(name.utf8.count) bytes of UTF-8; \(byteCountMax) are allowed.")
        }
        if !isName(name) {
            faults.append(
                "\(kind) begins with a letter or '_' and goes on with letters, digits, '_', '-' or blanks."
            )
        }
        return faults
    }

    /// Finds the faults of the name of a property; empty for a valid name.
    package static func faults(ofPropertyName name: String) -> [String] {
        faults(
            ofName: name, "The property name", "A property name",
            byteCountMax: ModelLimits.propertyNameByteCountMax)
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || isLetter(first) else {
            return false
        }
        return name.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "_", "-", " ", "0"..."9": return true
            default: break
            }
            if isLetter(scalar) { return true }
            switch scalar.properties.generalCategory {
            case .decimalNumber, .letterNumber, .nonspacingMark, .spacingMark: return true
            default: return false
            }
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        // Most letters are in these ranges, and the tables for the others take longer.
        switch scalar {
        case "a"..."z", "A"..."Z": true
        default: scalar.properties.isAlphabetic
        }
    }
}

/// The properties, by name, of the classes that inverse links refer to. A class may have a thousand of both.
private final class OriginProperties {
    private var properties: [ExactText: [ExactText: Property]] = [:]

    func property(named name: String, of origin: ObjectClass) -> Property? {
        let known =
            properties[origin.name]
            ?? Dictionary(origin.properties.map { (ExactText($0.name), $0) }) { first, _ in first }
        properties[origin.name] = known
        return known[name]
    }
}

extension ObjectClass {
    /// The number of faults after which further faults have no hints.
    private static let hintedFaultCountMax = 100

    fileprivate func collectFaults(
        _ classes: [ExactText: ObjectClass], _ origins: OriginProperties,
        into faults: inout [SchemaFault]
    ) {
        func fault(_ property: String? = nil, _ detail: String) {
            faults.append(SchemaFault(className: name, property: property, detail: detail))
        }
        func unknownType(_ property: Property, _ type: String) {
            // The search for a similar name may compare all classes for each fault, and no more faults are reported.
            let hint =
                faults.count < Self.hintedFaultCountMax
                ? property.typeText(meantBy: type, among: classes.texts) : nil
            faults.append(
                SchemaFault(
                    className: name, property: property.name,
                    detail: "'\(type)' is neither a type nor a class of the schema"
                        + (hint.map { "; did you mean '\($0)'?" } ?? ".")
                        + (ScalarType.advice(about: type).map { " " + $0 } ?? ""), hint: hint))
        }
        for detail in Schema.faults(
            ofName: name, "The class name", "A class name",
            byteCountMax: ModelLimits.classNameByteCountMax)
        {
            fault(nil, detail)
        }
        var names = Set<ExactText>(minimumCapacity: properties.count)
        for property in properties {
            if !names.insert(property.name) {
                fault(property.name, "Two properties are named '\(property.name)'.")
            }
            if case .object(let target)? = property.type.element, classes[target] == nil {
                unknownType(property, target)
            }
            collectFaults(of: property, classes, origins, fault)
        }
        collectFaults(ofUniqueGroups: classes, into: &faults)
        collectMappingFaults(names, fault)
        guard let primaryKey else { return }
        guard kind.standsAlone else {
            return fault(
                nil,
                "An embedded class can't have a primary key: its objects are found through their owner."
            )
        }
        guard let property = properties.first(where: { $0.name.isSame(as: primaryKey) }) else {
            return fault(nil, "The primary key '\(primaryKey)' is not a property of the class.")
        }
        guard case .single(.scalar(let scalar)) = property.type, scalar.canBePrimaryKey else {
            return fault(
                primaryKey,
                "Property '\(primaryKey)' cannot be made the primary key of '\(name)' because it is not "
                    + "a 'string', 'int', 'objectId', or 'uuid' property.")
        }
    }

    private func collectFaults(
        of property: Property, _ classes: [ExactText: ObjectClass], _ origins: OriginProperties,
        _ fault: (String?, String) -> Void
    ) {
        let name = property.name
        for detail in Schema.faults(ofPropertyName: name) { fault(name, detail) }
        switch property.type {
        case .linkingObjects(let originName, let originProperty):
            guard let origin = classes[originName] else {
                return fault(
                    name,
                    "The inverse link names the class '\(originName)', which the schema lacks.")
            }
            guard let forward = origins.property(named: originProperty, of: origin) else {
                return fault(
                    name,
                    "The inverse link names '\(originName).\(originProperty)', which does not exist."
                )
            }
            guard forward.type.element == .object(self.name) else {
                return fault(
                    name, "'\(originName).\(originProperty)' does not link to '\(self.name)'.")
            }
            if kind == .asymmetric {
                return fault(
                    name, "Nothing links to an asymmetric class, so it has no inverse links.")
            }
            if origin.kind == .asymmetric {
                return fault(
                    name,
                    "'\(originName)' is an asymmetric class: its objects are never read, so no inverse "
                        + "link shows them.")
            }
            if property.isIndexed || property.defaultValue != nil || property.isOptional
                || property.cases != nil || property.isUnique || property.onDelete != .nullify
                || property.searchIndex != nil || property.isRequired
            {
                fault(
                    name,
                    "An inverse link has no index, uniqueness, deletion rule, default, enum or "
                        + "optionality, and is never required.")
            }
        case .single(let element), .list(let element), .set(let element), .map(let element):
            if case .object(let target) = element {
                // An unknown class was already reported, with a suggestion.
                guard let targetClass = classes[target] else { return }
                if targetClass.kind == .asymmetric {
                    return fault(
                        name,
                        "'\(target)' is an asymmetric class, whose objects are only created: no class "
                            + "can link to it.")
                }
                if case .set = property.type, targetClass.kind == .embedded {
                    fault(name, "A set can't hold embedded objects; use a list.")
                }
                switch property.type {
                case .single, .map:
                    if !property.isOptional {
                        fault(
                            name,
                            "The `\(self.name).\(name)` property must be marked as being optional.")
                    }
                case .list, .set, .linkingObjects:
                    if property.isOptional {
                        fault(
                            name,
                            "A list or set of objects has no null elements; leave the '?' out.")
                    }
                }
            }
            // A primary key of this type is refused in any case.
            if case .scalar(.mixed) = element, property.isOptional, !primaryKey.isSame(as: name) {
                fault(
                    name, "A mixed value is null by itself and never optional; leave the '?' out.")
            }
            if property.onDelete != .nullify {
                guard case .object(let target) = element, classes[target]?.kind == .object else {
                    return fault(
                        name, "Only links to objects that are not embedded have 'onDelete'.")
                }
            }
            if property.searchIndex == .fullText {
                guard property.type == .single(.scalar(.string)), kind == .object else {
                    return fault(
                        name,
                        "A full-text index needs a single string of a class that is neither embedded nor "
                            + "asymmetric.")
                }
            }
            if property.searchIndex == .geo, !holdsPoint(property, classes) {
                return fault(
                    name,
                    "A geographic index needs a single property of a class that is neither embedded nor "
                        + "asymmetric, which holds an embedded object in GeoJSON's form: with a string "
                        + "'type' and a list of doubles 'coordinates'.")
            }
            if property.keepsIndex {
                if kind == .asymmetric {
                    return fault(
                        name, "An asymmetric class is never queried; leave its indexes out.")
                }
                guard case .single(.scalar(let scalar)) = property.type, scalar.canBeIndexed,
                    kind == .object
                else {
                    return fault(
                        name,
                        "An index, or uniqueness, needs a single property of a class that is not embedded, of any type "
                            + "but data, a link or an embedded object.")
                }
            }
            if let cases = property.cases {
                collectFaults(ofCases: cases, property) { fault(name, $0) }
            }
            if let defaultValue = property.defaultValue, !property.accepts(defaultValue) {
                fault(name, "The default does not fit the property's type.")
            } else if property.defaultValue == .next, !primaryKey.isSame(as: name) {
                fault(name, "The default \"$next\" is one of a primary key that is an integer.")
            } else if property.defaultValue == .user, primaryKey.isSame(as: name) {
                fault(
                    name,
                    "A primary key has no default \"$user\": state the user's id as the key, and have a rule demand "
                        + "it: \"create\": \"\(name) == $user.id\".")
            }
        }
    }
}

extension ObjectClass {
    /// Checks that each mapped name belongs to only one property, and differs from the other properties' own names.
    private func collectMappingFaults(_ names: Set<ExactText>, _ fault: (String?, String) -> Void) {
        var mapped: Set<ExactText> = []
        for property in properties {
            guard let other = property.mapTo else { continue }
            let subject = "The name that 'mapTo' gives"
            for detail in Schema.faults(
                ofName: other, subject, subject,
                byteCountMax: ModelLimits.propertyNameByteCountMax)
            {
                fault(property.name, detail)
            }
            if !mapped.insert(other) || !other.isSame(as: property.name) && names.contains(other) {
                fault(
                    property.name,
                    "'mapTo' gives the name '\(other)', which another property of the class has.")
            }
        }
    }

    /// Whether a property holds a point that can be indexed.
    private func holdsPoint(_ property: Property, _ classes: [ExactText: ObjectClass]) -> Bool {
        guard kind == .object, case .single(.object(let target)) = property.type else {
            return false
        }
        return classes[target]?.pointMembers != nil
    }

    private func collectFaults(
        ofCases cases: [Value], _ property: Property, _ fault: (String) -> Void
    ) {
        guard let scalar = property.scalar, scalar != .mixed else {
            return fault("Only plain values of one type have an enum.")
        }
        if cases.isEmpty || cases.count > ModelLimits.caseCountMax {
            fault("An enum has 1 to \(ModelLimits.caseCountMax) values.")
        }
        if Set(cases).count < cases.count { fault("An enum has each value once.") }
        if !cases.allSatisfy({ scalar.holds($0) }) {
            fault("The values of the enum are not all of type '\(scalar.name)'.")
        }
        if case .constant(let value)? = property.defaultValue, scalar.holds(value),
            !cases.contains(value)
        {
            fault("The default is not among the values of the enum.")
        }
        switch property.defaultValue {
        case .uuid, .objectID, .now, .next, .user: fault("An enum has a constant default.")
        case nil, .constant: break
        }
    }
}

extension ScalarType {
    fileprivate func holds(_ value: Value) -> Bool {
        if self == .mixed { return value.fitsMixed }
        if case .int(let number) = value { return integerRange?.contains(number) ?? false }
        return value.scalarType == self
    }
}

extension Property {
    /// Whether a default fits the type. Only single scalars and empty collections may have a default.
    fileprivate func accepts(_ defaultValue: DefaultValue) -> Bool {
        guard case .single(.scalar(let scalar)) = type else {
            switch defaultValue {
            case .constant(.null): return isOptional && !type.isCollection
            case .constant(.list(let values)): return values.isEmpty && type.isCollection
            default: return false
            }
        }
        switch defaultValue {
        case .uuid: return scalar == .uuid
        case .objectID: return scalar == .objectID
        case .now: return scalar == .date
        case .next: return scalar.integerRange != nil
        case .user: return scalar.canBeUser
        case .constant(.null): return isOptional || scalar == .mixed
        case .constant(let value): return scalar.holds(value)
        }
    }
}
