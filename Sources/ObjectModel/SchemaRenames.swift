/// The classes and properties that have another name in the schema that replaces the current one.
///
/// A class or property without an entry here is removed if its old name is missing, and added empty if its name is new.
package struct SchemaRenames: Equatable, Sendable {
    /// A class, or a property of one.
    package struct Name: Hashable, Sendable, CustomStringConvertible {
        /// The class's name.
        @Exact package var className: String
        /// The property's name; nil for the class itself.
        @Exact package var property: String?

        package init(_ className: String, _ property: String? = nil) {
            self.className = className
            self.property = property
        }

        /// Reads `Class` or `Class.property`. No name contains a point.
        package init(_ text: String) {
            let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            className = parts.first.map(String.init) ?? ""
            property = parts.count > 1 ? String(parts[1]) : nil
        }

        package var description: String { property.map { "\(className).\($0)" } ?? className }
    }

    /// One renaming.
    package struct Entry: Equatable, Sendable {
        package var old: Name
        package var new: Name

        package init(old: Name, new: Name) {
            self.old = old
            self.new = new
        }
    }

    /// A fault of an entry.
    package struct Fault: Equatable, Sendable {
        /// The entry's old name.
        package var old: Name
        /// A sentence: the fault, and what to do instead.
        package var detail: String
    }

    /// The renamings, in no particular order.
    package var entries: [Entry]

    /// Makes a set of renamings.
    package init(_ entries: [Entry] = []) { self.entries = entries }

    /// Returns the present name of a class of the new schema.
    package func oldName(ofClass name: String) -> String {
        entries.first { $0.new == Name(name) }?.old.className ?? name
    }

    /// Returns the name of a present class in the new schema.
    package func newName(ofClass name: String) -> String {
        entries.first { $0.old == Name(name) }?.new.className ?? name
    }

    /// Returns the present name of a property of the new schema.
    package func oldName(ofProperty property: String, inNew className: String) -> String {
        entries.first { $0.new == Name(className, property) }?.old.property ?? property
    }

    /// Returns the name of a present property in the new schema.
    package func newName(ofProperty property: String, inOld className: String) -> String {
        entries.first { $0.old == Name(className, property) }?.new.property ?? property
    }

    /// Returns a projection with the new names of its class and of the properties in its paths.
    package func renamed(_ projection: Projection, in present: Schema) -> Projection {
        var result = projection
        result.className = newName(ofClass: projection.className)
        for index in result.properties.indices {
            var className: String? = projection.className
            result.properties[index].path = projection.properties[index].path.map { name in
                guard let owner = className else { return name }
                let properties = present.objectClass(named: owner)?.properties
                className = properties?.first { $0.name.isSame(as: name) }?.type.className
                return newName(ofProperty: name, inOld: owner)
            }
        }
        return result
    }

    /// Finds all faults of the renamings from `present` to `proposed`.
    package func faults(from present: Schema, to proposed: Schema) -> [Fault] {
        var faults: [Fault] = []
        var olds: Set<Name> = []
        var news: Set<Name> = []
        for entry in entries {
            if let detail = fault(of: entry, from: present, to: proposed) {
                faults.append(Fault(old: entry.old, detail: detail))
            } else if !olds.insert(entry.old).inserted {
                faults.append(Fault(old: entry.old, detail: "'\(entry.old)' is renamed twice."))
            } else if !news.insert(entry.new).inserted {
                faults.append(Fault(old: entry.old, detail: "Two names become '\(entry.new)'."))
            }
        }
        return faults
    }

    private func fault(of entry: Entry, from present: Schema, to proposed: Schema) -> String? {
        let (old, new) = (entry.old, entry.new)
        guard (old.property == nil) == (new.property == nil) else {
            return "A class is renamed to a class and a property to a property: write "
                + "\"Class\": \"Other\" or \"Class.property\": \"Class.other\"."
        }
        guard let oldClass = present.objectClass(named: old.className) else {
            return "The present schema has no class '\(old.className)'."
        }
        guard let newClass = proposed.objectClass(named: new.className) else {
            return "The new schema has no class '\(new.className)'."
        }
        guard let oldProperty = old.property, let newProperty = new.property else { return nil }
        guard oldClass.propertyIndex(named: oldProperty) != nil else {
            return "The present class '\(old.className)' has no property '\(oldProperty)'."
        }
        guard newClass.propertyIndex(named: newProperty) != nil else {
            return "The new class '\(new.className)' has no property '\(newProperty)'."
        }
        guard newName(ofClass: old.className).isSame(as: new.className) else {
            return "A property stays in its class: '\(old.className)' is called "
                + "'\(newName(ofClass: old.className))' in the new schema."
        }
        return nil
    }
}
