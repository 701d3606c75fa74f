import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows

/// Values of kind `mixed` as JSON. A value that JSON has is written as it is, any other under a name that states its kind.
extension ObjectWriter {
    /// Writes a value. Lists and maps nest no deeper than the object model allows.
    package func write(mixed value: MixedView) {
        if !write(mixed: value, depth: 0) { json.null() }
    }

    /// Writes a value. Returns false, and writes nothing, for a link to a deleted object.
    private func write(mixed value: MixedView, depth: Int) -> Bool {
        let address = value.payload.baseAddress
        switch value.kind {
        case .null: json.null()
        case .bool: json.bool(address?.storedBool ?? false)
        case .int:
            let number = address?.storedInt ?? 0
            if quotesLargeInts, number.magnitude > 1 << 53 {
                write(value, under: "$int")
            } else {
                json.int(number)
            }
        case .double:
            let number = address?.storedDouble ?? 0
            if number.isFinite { json.double(number) } else { write(value, under: "$double") }
        case .float: write(value, under: "$float")
        case .decimal: write(value, under: "$decimal")
        case .string: json.string(value.payload)
        case .data: write(value, under: "$data")
        case .date: write(value, under: "$date")
        case .objectID: write(value, under: "$objectId")
        case .uuid: write(value, under: "$uuid")
        case .link: return writeLink(value)
        case .list, .map:
            guard depth < ModelLimits.mixedDepthMax else { return false }
            writeParts(of: value, depth: depth)
        }
        return true
    }

    /// Writes a plain value under the name that states its kind.
    private func write(_ value: MixedView, under name: StaticString) {
        json.raw("{")
        json.key(name)
        if let element = value.kind.storage { write(stored: value.payload, element) }
        json.raw("}")
    }

    private func writeParts(of value: MixedView, depth: Int) {
        let isMap = value.kind == .map
        json.raw(isMap ? "{" : "[")
        var isFirst = true
        for index in 0..<value.count {
            let start = buffer.count
            let wasFirst = isFirst
            separate(&isFirst)
            if isMap {
                json.string(value.key(index))
                buffer.append(UInt8(ascii: ":"))
            }
            if write(mixed: value.element(index), depth: depth + 1) { continue }
            if isMap {
                json.null()
            } else {
                // The deletion of the target removed the element from the list.
                buffer.truncate(to: start)
                isFirst = wasFirst
            }
        }
        json.raw(isMap ? "}" : "]")
    }

    /// Writes a link; false with nothing written when its target was deleted after this copy of the row was made.
    private func writeLink(_ value: MixedView) -> Bool {
        guard let link = value.link, let read,
            let index = read.rows.classIndexByNumber[link.classNumber]
        else { return false }
        let target = read.rows.classes[index]
        let start = buffer.count
        json.raw("{\"$link\":{\"class\":")
        json.string(target.definition.name)
        json.raw(",\"id\":")
        switch writeKey(link.key, of: target, in: read) {
        case .written: break
        case .null: json.null()
        case .gone:
            buffer.truncate(to: start)
            return false
        }
        json.raw("}}")
        return true
    }
}
