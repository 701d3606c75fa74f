import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// Values of kind `mixed` in JSON: kinds that JSON has stand as they are, all others under a name that states the kind.
extension ObjectReader {
    /// Reads a single value.
    func readMixed(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ member: Int, into draft: ObjectDraft
    ) {
        path.append(.name(name))
        defer { path.removeLast() }
        readMixedElement(json, member, depth: 0, into: draft)
    }

    /// Reads a list or set of values.
    func readMixedValues(_ json: JSONValue, _ member: Int, into draft: ObjectDraft) {
        collection.reset(.mixed)
        let start = draft.references.count
        for (index, json) in json.elements.enumerated() {
            guard mayContinue() else { break }
            path.append(.element(index))
            defer { path.removeLast() }
            mixed.removeAll()
            appendMixed(json, member, into: draft, depth: 0, base: collection.byteCount)
            let value = MixedView(mixed.bytes)
            value.isNull ? collection.appendNull() : collection.append(text: value.bytes)
        }
        draft.set(member, mixed: collection, from: start)
    }

    /// Reads the bare value of a property, or of the one element of its list or set.
    ///
    /// - `depth`: The number of lists and maps around it.
    func readMixedElement(_ json: JSONValue, _ member: Int, depth: Int, into draft: ObjectDraft) {
        mixed.removeAll()
        let start = draft.references.count
        appendMixed(json, member, into: draft, depth: depth, base: 0)
        let value = MixedView(mixed.bytes)
        if draft.rowClass.members[member].storage.shape == .single {
            return draft.set(member, mixed: value, from: start)
        }
        collection.reset(.mixed)
        value.isNull ? collection.appendNull() : collection.append(text: value.bytes)
        draft.set(member, mixed: collection, from: start)
    }

    /// Reads the bare value of an entry of a map.
    ///
    /// - `depth`: The number of lists and maps around it.
    func readMixedEntry(
        _ json: JSONValue, under key: UnsafeRawBufferPointer, _ member: Int, depth: Int,
        into draft: ObjectDraft
    ) {
        mixed.removeAll()
        let start = draft.references.count
        appendMixed(json, member, into: draft, depth: depth, base: 0)
        draft.addEntry(key, mixed: MixedView(mixed.bytes), from: start)
    }

    /// Appends a value to ``mixed``; null, with a fault, if the JSON is no value.
    ///
    /// - `depth`: The number of lists and maps around it.
    /// - `base`: The number of bytes of values before it in a collection that are not in ``mixed``.
    private func appendMixed(
        _ json: JSONValue, _ member: Int, into draft: ObjectDraft, depth: Int, base: Int
    ) {
        let writer = MixedWriter(mixed)
        switch json.kind {
        case .null: return writer.null()
        case .bool: return writer.inline(InlineValue(json.bool ?? false))
        case .integer:
            if let value = json.int64 { return writer.inline(InlineValue(value)) }
        case .double:
            if json.isBigInteger {
                fault(
                    "out-of-range",
                    "The number is outside the range of an int; write {\"$decimal\":\"…\"} for a "
                        + "decimal, or the number with a fraction or exponent for a double.")
            } else if let value = json.double, value.isFinite {
                return writer.inline(InlineValue(value))
            } else {
                fault("out-of-range", "The number is outside the range of a double.")
            }
        case .string:
            if let text = json.stringBytes, text.count <= ModelLimits.valueByteCountMax {
                return writer.string(text)
            }
            tooLong(draft.rowClass.definition.properties[member], at: nil, element: nil)
        case .array, .object:
            if json.kind == .object, let tag = json.members.first(where: { $0.name.first == 0x24 })
            {
                return appendTagged(tag, json, member, into: draft, base: base)
            }
            guard depth < ModelLimits.mixedDepthMax else {
                fault(
                    "too-deep",
                    "Lists and maps nest deeper than \(ModelLimits.mixedDepthMax) levels in a mixed "
                        + "value.")
                break
            }
            return json.kind == .array
                ? appendList(json, member, into: draft, depth: depth, base: base)
                : appendMap(json, member, into: draft, depth: depth, base: base)
        }
        writer.null()
    }

    private func appendList(
        _ json: JSONValue, _ member: Int, into draft: ObjectDraft, depth: Int, base: Int
    ) {
        let writer = MixedWriter(mixed)
        let table = writer.begin(.list, count: json.count)
        for (index, element) in json.elements.enumerated() {
            guard mayContinue() else { break }
            path.append(.element(index))
            defer { path.removeLast() }
            appendMixed(element, member, into: draft, depth: depth + 1, base: base)
            writer.close(index, of: table)
        }
    }

    private func appendMap(
        _ json: JSONValue, _ member: Int, into draft: ObjectDraft, depth: Int, base: Int
    ) {
        if let name = json.repeatedName {
            repeated(name)
            return MixedWriter(mixed).null()
        }
        let members = json.members.sorted { compareKeys($0.name, $1.name) < 0 }
        let writer = MixedWriter(mixed)
        let table = writer.begin(.map, count: members.count)
        for (index, entry) in members.enumerated() {
            guard mayContinue() else { break }
            _ = isKey(entry.name, draft.rowClass, member)
            path.append(.name(entry.name))
            defer { path.removeLast() }
            mixed.append(entry.name)
            writer.close(2 * index, of: table)
            appendMixed(entry.value, member, into: draft, depth: depth + 1, base: base)
            writer.close(2 * index + 1, of: table)
        }
    }

    // MARK: Values with an explicit kind

    private func appendTagged(
        _ tag: JSONMember, _ json: JSONValue, _ member: Int, into draft: ObjectDraft, base: Int
    ) {
        let writer = MixedWriter(mixed)
        guard json.count == 1 else {
            if let name = json.repeatedName { repeated(name) }
            fault(
                "invalid-mixed",
                "'\(Self.text(tag.name))' states the kind of a value and must be the only member of its object; a "
                    + "key of a map holds no '$' (percent-encode it as %24).", at: tag.name)
            return writer.null()
        }
        let form = MixedForm(tag.name)
        if form == .link || (form == .reference && references != nil) {
            return appendMixedLink(tag, json, form, member, into: draft, base: base)
        }
        guard let form, form != .reference else {
            fault(
                "invalid-mixed",
                "'\(Self.text(tag.name))' is not a kind of value: use \(MixedForm.examples) or "
                    + "{\"$link\":{\"class\":\"…\",\"id\":…}}."
                    + Self.operatorAdvice(Self.text(tag.name)),
                at: tag.name)
            return writer.null()
        }
        if let element = form.element, let value = PlainValue(tag.value, element, bytes) {
            return writer.plain(value)
        }
        fault(
            form.faultCode, "\"\(form.rawValue)\" takes \(form.takes); this is not one.",
            at: tag.name)
        writer.null()
    }

    /// Appends a link, `{"$link":{"class","id"}}` or `{"$ref":"name"}`, and adds its target to the draft.
    private func appendMixedLink(
        _ tag: JSONMember, _ json: JSONValue, _ form: MixedForm?, _ member: Int,
        into draft: ObjectDraft, base: Int
    ) {
        let writer = MixedWriter(mixed)
        let offset = base + mixed.count
        guard let target = mixedTarget(tag, json, form) else { return writer.null() }
        let position = MixedLinkPosition(offset: offset, classIndex: target.index)
        let isAdded =
            form == .link
            ? tag.value.member(named: "id").map {
                addReference(
                    $0, target, member, element: nil, mixed: position, isLong: true, to: draft)
            } ?? false
            : addNamedReference(json, target, member, element: nil, mixed: position, to: draft)
        guard isAdded else { return writer.null() }
        // The object key comes when the draft is written.
        writer.link(classNumber: target.number, key: 0)
    }

    /// Finds the class that a link in a mixed value leads to; nil, with a fault, if it names no class.
    private func mixedTarget(_ tag: JSONMember, _ json: JSONValue, _ form: MixedForm?) -> RowClass?
    {
        guard let names else { return nil }
        if form == .reference {
            // An unknown name is reported by the caller that adds the reference.
            let index = tag.value.string.flatMap { references?[$0]?.classIndex }
            return names.schema.classes[index ?? 0]
        }
        let link = tag.value
        guard link.kind == .object, link.count == 2, link.member(named: "id") != nil,
            let name = link.member(named: "class")?.stringBytes
        else {
            fault(
                "invalid-link",
                "A link in a mixed value is {\"$link\":{\"class\":\"…\",\"id\":…}} and nothing else."
            )
            return nil
        }
        guard let index = names.classIndex(named: name) else {
            let text = Self.text(name)
            fault(
                "unknown-class", "There is no class '\(text)' in the schema.",
                hint: NearestName.of(text, among: names.schema.definition.classes.lazy.map(\.name)))
            return nil
        }
        let target = names.schema.classes[index]
        guard target.definition.kind == .object else {
            fault(
                "wrong-class",
                "'\(target.definition.name)' is an embedded class; a mixed value holds no embedded "
                    + "objects and no links to them.")
            return nil
        }
        return target
    }
}
