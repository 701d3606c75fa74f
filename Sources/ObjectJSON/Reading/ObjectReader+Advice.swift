import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows

// The next step for values in the forms of other products. All of it is made for a fault that is certain.
extension ObjectReader {
    private static let operators: Set<String> = [
        "$set", "$unset", "$inc", "$mul", "$min", "$max", "$rename", "$setOnInsert",
        "$currentDate", "$push", "$pull", "$pullAll", "$pop", "$addToSet", "$each", "$bit",
    ]
    private static let sentences = [
        "data": " The properties stand in the object itself, without 'data' around them.",
        "_rev":
            " The header If-Match has the object's ETag, so that a change in between is noticed.",
    ]
    private static let pointMembers: Set<String> = [
        "lat", "latitude", "lng", "lon", "long", "longitude", "x", "y",
    ]

    /// The sentence about a name that a class does not have, with a blank before it; empty without one.
    static func advice(_ name: String, _ rowClass: RowClass) -> String {
        let advice = operatorAdvice(name)
        if !advice.isEmpty { return advice }
        if let sentence = sentences[name] { return sentence }
        if pointMembers.contains(name.lowercased()), let example = pointExample(rowClass) {
            return " A point is \(example)."
        }
        return ""
    }

    /// The sentence about an operator of another product, with a blank before it; empty for other names.
    static func operatorAdvice(_ name: String) -> String {
        guard operators.contains(name) else { return "" }
        if name == "$inc" || name == "$mul" {
            return
                " A body has no operators, and none for increments: read the object, calculate, and send the new value with "
                + "the header If-Match. After 412 begin again, because another write came first."
        }
        return
            " A body has no operators: it states the new values, and If-Match refuses them if "
            + "another write came first."
    }

    /// The same for a value in the form of an operator, as `{"$inc":1}`.
    static func operatorAdvice(in json: JSONValue) -> String {
        guard let first = json.members.first(where: { _ in true }) else { return "" }
        return operatorAdvice(text(first.name))
    }

    /// The sentence about a JSON patch that was sent as an object, with a blank before it; empty for other JSON.
    static func patchAdvice(_ json: JSONValue) -> String {
        guard let first = json.elements.first(where: { _ in true }),
            first.member(named: "op") != nil, first.member(named: "path") != nil
        else { return "" }
        return " A JSON patch is sent by PATCH with 'Content-Type: application/json-patch+json'."
    }

    /// Describes the values that a property takes, for people.
    func taken(by rowClass: RowClass, _ member: Int) -> String {
        let property = rowClass.definition.properties[member]
        let compiled = rowClass.members[member]
        guard compiled.storage.element == .embedded, let names,
            case .object(let name)? = property.type.element
        else { return Self.describe(property) }
        let text = Self.describe(property) { _, isMany in
            "\(isMany ? "objects" : "an object") of the embedded class '\(name)'"
        }
        let example = Self.pointExample(names.schema.classes[compiled.classIndex])
        return text + (example.map { ", such as \($0)" } ?? "")
    }

    /// An example of a GeoJSON point of a class; nil for other classes, and for callers that do not know its properties.
    private static func pointExample(_ rowClass: RowClass) -> String? {
        guard let point = rowClass.definition.pointMembers else { return nil }
        let properties = rowClass.definition.properties
        let (type, coordinates) = (properties[point.type].name, properties[point.coordinates].name)
        guard Set(rowClass.knownNames).isSuperset(of: [type, coordinates]) else { return nil }
        return "{\"\(type)\":\"Point\",\"\(coordinates)\":[2.35,48.86]} (longitude, latitude)"
    }

    /// The day that a text begins with, such as 2026-02-30, if no month has it; nil for other JSON.
    static func impossibleDay(_ json: JSONValue) -> String? {
        guard let text = json.stringBytes, text.count >= 10 else { return nil }
        let day = String(decoding: text.prefix(10), as: UTF8.self)
        let parts = day.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int64($0) }
        guard parts.map(\.count) == [4, 2, 2], numbers.count == 3 else { return nil }
        let (year, month, date) = (numbers[0], numbers[1], numbers[2])
        let isDay =
            (1...12).contains(month) && date >= 1
            && date <= Timestamp.dayCount(year: year, month: month)
        return isDay ? nil : day
    }
}
