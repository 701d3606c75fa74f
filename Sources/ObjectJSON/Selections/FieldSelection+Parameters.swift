import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import HoldfastText

extension FieldSelection {
    /// The most steps of a path of `fields` or `expand`.
    package static let pathStepCountMax = 16

    /// Makes the selection that `fields` and `expand` state for objects of a class.
    ///
    /// `fields` is a list of names: properties, inverse links, `$id`, `$version`, `*` for everything, dotted paths into embedded
    /// and linked objects, and at the ends of such paths counts and aggregates: `dogs.@count`, `dogs.@max.age`, `scores.@avg`.
    /// `expand` is a list of paths to links and inverse links that the reply shows as objects instead of keys. A path may lead
    /// back to its beginning: its length bounds the reply's depth.
    ///
    /// Embedded objects that an inverse link shows have `$owner` beside their properties, the object that they
    /// belong to, and paths lead on from there: `residents.$owner.name`.
    ///
    /// - `parameter`: The parameter that states `fields`.
    /// - `areOrigins`: Whether the objects are embedded ones that an inverse link shows.
    /// - `budget`: The budget that pays for it. After the budget has failed, the result and the error say nothing of the
    ///   parameters.
    /// - Throws: ``RequestFault`` `.malformed` that names the parameter and the nearest known name.
    package convenience init(
        fields: String?, expand: String?, of rowClass: RowClass, names: SchemaNames,
        _ parameter: PathParameter = .fields, areOrigins: Bool = false,
        within budget: Budget = Budget()
    ) throws(RequestFault) {
        let tree = Node(areOrigins: areOrigins, within: budget)
        for path in try Self.paths(fields, parameter) {
            try tree.select(path[...], rowClass, names.schema, parameter)
        }
        if fields == nil { tree.hasEverything = true }
        for path in try Self.paths(expand, .expand) {
            try tree.select(path[...], rowClass, names.schema, .expand)
        }
        let (parts, showsEverything) = tree.parts(rowClass, names.schema, of: parameter)
        // Each path may show all of a large class.
        guard budget.failure == nil else { throw Self.givenUp }
        self.init(rowClass, parts, showsEverything: showsEverything)
    }

    /// Thrown after the budget has failed. The budget has the reason.
    private static let givenUp = RequestFault(
        .unavailable, "busy", "The request was stopped before its selection was read; try again.",
        retryAfterSeconds: 1)

    private static func paths(
        _ text: String?, _ parameter: PathParameter
    ) throws(RequestFault) -> [[String]] {
        guard let text else { return [] }
        var paths: [[String]] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let steps = part.droppingBlanks.split(
                separator: ".", omittingEmptySubsequences: false
            ).map(String.init)
            if steps.contains(where: \.isEmpty) {
                let name = parameter.rawValue
                throw .parameter(name, "\(form(of: name)); a name is missing in it.")
            }
            if steps.count > pathStepCountMax {
                throw .parameter(
                    parameter.rawValue,
                    "A path in '\(parameter.rawValue)' has \(steps.count) steps; \(pathStepCountMax) are allowed."
                )
            }
            paths.append(steps)
        }
        return paths
    }

    private static func form(of parameter: String) -> String {
        "'\(parameter)' is a list of names with commas between them and dots inside paths, such as "
            + "\(parameter)=name,home.city"
    }

    /// The selection of one class at one path, while the parameters are read.
    private final class Node {
        /// `*`, or no `fields` that say otherwise.
        var hasEverything = false
        /// Whether `fields` names the objects themselves beside paths through them, which shows everything, too.
        var isNamed = false
        var hasID = false
        var hasVersion = false
        /// Whether the objects are embedded ones that an inverse link shows.
        let areOrigins: Bool
        var hasOwner = false
        /// The selection of the owners, by class, where a path leads there.
        var owners: [Int: Node] = [:]
        /// In the order of mention.
        var members: [Member] = []
        /// The positions of members that stand for themselves, and the names of calculated members.
        private var positions: [Int: Int] = [:]
        private var calculatedNames: Set<ExactText> = []
        private let budget: Budget

        struct Member {
            var member: Int
            var node: Node?
            var expands = false
            /// A count or an aggregate of the member, which stands beside it.
            var calculated: Part?
        }

        init(areOrigins: Bool = false, within budget: Budget) {
            self.areOrigins = areOrigins
            self.budget = budget
        }

        /// An estimate of the bytes that a part of a selection takes, including its name and the data that is read for it.
        private static let byteCountOfPart = 400

        func select(
            _ path: ArraySlice<String>, _ rowClass: RowClass, _ schema: RowSchema,
            _ parameter: PathParameter
        ) throws(RequestFault) {
            guard let name = path.first else { return }
            guard budget.keep(Self.byteCountOfPart) else { throw FieldSelection.givenUp }
            let rest = path.dropFirst()
            let expands = parameter == .expand
            if areOrigins, name == "$owner" {
                return try selectOwner(rest, rowClass, schema, parameter)
            }
            if !expands, rest.isEmpty, selectSpecial(name, rowClass) { return }
            guard let member = rowClass.member(named: name) else {
                throw unknown(name, rowClass, parameter)
            }
            if !expands, rest.first?.hasPrefix("@") ?? false {
                return try calculate(member, path, rowClass, schema, parameter)
            }
            let compiled = rowClass.members[member]
            guard compiled.classIndex >= 0 else {
                if rest.isEmpty, !expands {
                    _ = position(member)
                    return
                }
                throw .parameter(
                    parameter.rawValue,
                    expands && rest.isEmpty
                        ? "Property '\(name)' of class '\(rowClass.definition.name)' is not a link; "
                            + "'expand' takes links, inverse links and collections of them."
                        : "Property '\(name)' of class '\(rowClass.definition.name)' has no "
                            + "objects, so a path can't continue from it.")
            }
            if rest.isEmpty {
                let index = position(member)
                if expands {
                    members[index].expands = true
                } else {
                    // `home` beside `home.city` asks for all of it.
                    members[index].node?.isNamed = true
                }
                return
            }
            try descend(member, of: rowClass, parameter)
                .select(rest, schema.classes[compiled.classIndex], schema, parameter)
        }

        /// `$owner`, and a path that leads on from there: into the owners of each class that has the first name.
        private func selectOwner(
            _ rest: ArraySlice<String>, _ rowClass: RowClass, _ schema: RowSchema,
            _ parameter: PathParameter
        ) throws(RequestFault) {
            hasOwner = true
            let expands = parameter == .expand
            let classes = schema.ownerClasses(of: rowClass.index).map { schema.classes[$0] }
            func node(_ rowClass: RowClass) -> Node {
                let node = owners[rowClass.index] ?? Node(within: budget)
                owners[rowClass.index] = node
                return node
            }
            guard let name = rest.first else {
                if expands { for owner in classes { node(owner).hasEverything = true } }
                return
            }
            let having = classes.filter {
                ["*", "$id", "$version"].contains(name) || $0.member(named: name) != nil
            }
            guard !having.isEmpty else {
                guard let first = classes.first else { return }
                throw unknown(name, first, parameter)
            }
            for owner in having {
                let node = node(owner)
                if expands { node.hasEverything = true }
                try node.select(rest, owner, schema, parameter)
            }
        }

        /// `*`, `$id` and `$version`.
        private func selectSpecial(_ name: String, _ rowClass: RowClass) -> Bool {
            let isObject = rowClass.definition.kind.standsAlone
            switch name {
            case "*": hasEverything = true
            case "$id" where isObject: hasID = true
            case "$version" where isObject: hasVersion = true
            default: return false
            }
            return true
        }

        private func unknown(
            _ name: String, _ rowClass: RowClass, _ parameter: PathParameter
        ) -> RequestFault {
            let known = rowClass.knownNames + (areOrigins ? ["$owner"] : [])
            var detail = "Class '\(rowClass.definition.name)' has no property '\(name)'."
            // An array or an object of JSON is meant.
            if let first = name.first, "[{\"".contains(first) {
                detail += " \(FieldSelection.form(of: parameter.rawValue))."
            }
            // As in `country(name)`.
            let parts = name.split { "()".contains($0) }.map(String.init)
            let isPath = parts.count == 2 && rowClass.member(named: parts[0]) != nil
            return .single(
                .malformed, "unknown-property", detail, parameter: parameter.rawValue,
                hint: isPath
                    ? parts.joined(separator: ".")
                    : NearestName.of(
                        name, among: parameter == .expand ? known : known + ["$id", "$version"]))
        }

        /// Adds a count or an aggregate of a member.
        private func calculate(
            _ member: Int, _ path: ArraySlice<String>, _ rowClass: RowClass, _ schema: RowSchema,
            _ parameter: PathParameter
        ) throws(RequestFault) {
            let name = path.joined(separator: ".")
            guard calculatedNames.insert(name) else { return }
            do throws(QueryError) {
                let path = try ValuePath(dotted: name, rootClass: rowClass.index, schema: schema)
                let part = Part(kind: .calculated, name: name, member: member, path: path)
                members.append(Member(member: member, calculated: part))
            } catch {
                let code = error.kind == .unknownProperty ? "unknown-property" : "invalid-parameter"
                throw .single(
                    .malformed, code, error.message, parameter: parameter.rawValue,
                    hint: error.hint)
            }
        }

        private func position(_ member: Int) -> Int {
            if let known = positions[member] { return known }
            members.append(Member(member: member))
            positions[member] = members.count - 1
            return members.count - 1
        }

        private func descend(
            _ member: Int, of rowClass: RowClass, _ parameter: PathParameter
        ) -> Node {
            let isKnown =
                positions[member].map { members[$0].node == nil && !members[$0].expands } ?? false
            let index = position(member)
            members[index].expands = true
            if let node = members[index].node { return node }
            let node = Node(areOrigins: rowClass.members[member].showsEmbedded, within: budget)
            // A path of `expand` adds to the shown properties; a path of `fields` replaces them.
            node.hasEverything = parameter == .expand
            node.isNamed = isKnown
            members[index].node = node
            return node
        }

        /// Makes the selection, with the parameters of ``parts(_:_:of:alone:isHeld:)``.
        private func selection(
            _ rowClass: RowClass, _ schema: RowSchema, of parameter: PathParameter,
            alone: Bool = false, isHeld: Bool = false
        ) -> FieldSelection {
            let made = parts(rowClass, schema, of: parameter, alone: alone, isHeld: isHeld)
            return FieldSelection(rowClass, made.parts, showsEverything: made.showsEverything)
        }

        /// Lists the selected parts, and says whether they include every property.
        ///
        /// - `parameter`: The parameter that selects.
        /// - `alone`: Leaves out properties that are shown only because their objects are named.
        /// - `isHeld`: Whether everything of their holder is shown, so that they are named.
        func parts(
            _ rowClass: RowClass, _ schema: RowSchema, of parameter: PathParameter,
            alone: Bool = false, isHeld: Bool = false
        ) -> (parts: [Part], showsEverything: Bool) {
            var parts: [Part] = []
            let isNamed = isNamed || parameter == .keyPaths && isHeld
            // A key path to a link is about which object it leads to.
            let isKey = isNamed && parameter == .keyPaths && rowClass.definition.kind != .embedded
            let hasID = hasID || isKey
            let hasEverything = hasEverything || isNamed && !isKey && !alone
            let hasKey = rowClass.primaryKeyIndex != nil
            if hasID && (hasKey || !hasEverything) { parts.append(Part(kind: .id, name: "$id")) }
            if hasOwner || areOrigins && hasEverything {
                let shown = owners.sorted { $0.key < $1.key }.map { index, node in
                    node.selection(schema.classes[index], schema, of: parameter)
                }
                parts.append(Part(kind: .owner, name: "$owner", owners: shown))
            }
            if hasEverything, budget.keep(Self.byteCountOfPart * rowClass.members.count) {
                parts += FieldSelection.everyPart(of: rowClass)
            }
            if hasVersion { parts.append(Part(kind: .version, name: "$version")) }
            var shown: [Int: Int] = [:]
            for (index, part) in parts.enumerated() where part.kind != .calculated {
                shown[part.member] = shown[part.member] ?? index
            }
            for named in members where budget.spend() {
                if let part = named.calculated {
                    parts.append(part)
                    continue
                }
                let member = named.member
                let target = rowClass.members[member].classIndex
                var inner = named.node.map { node in
                    node.selection(
                        schema.classes[target], schema, of: parameter, isHeld: hasEverything)
                }
                if inner == nil, rowClass.members[member].showsEmbedded {
                    inner = FieldSelection(everythingOf: schema.classes[target]).withOwner()
                }
                var part = FieldSelection.part(
                    rowClass, member, expands: named.expands, nested: inner)
                if let node = named.node, node.isNamed, !node.hasEverything,
                    part.kind == .expandedLink
                {
                    part.paths = node.selection(
                        schema.classes[target], schema, of: parameter, alone: true)
                }
                if let index = shown[member] {
                    parts[index] = part
                } else {
                    shown[member] = parts.count
                    parts.append(part)
                }
            }
            return (parts, hasEverything)
        }
    }
}

extension Substring {
    /// The text without leading blanks, as behind the comma of a list. A name may end with a blank, but never begins with one.
    package var droppingBlanks: Substring { drop { $0 == " " } }
}

/// A parameter that is a list of paths from an object, with commas between them.
package enum PathParameter: String, Sendable {
    /// The shown properties.
    case fields
    /// The links that are replaced by their objects.
    case expand
    /// The properties with reported changes.
    case keyPaths
}
