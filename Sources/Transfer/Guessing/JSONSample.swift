import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON

/// The objects of a sample of JSON: one behind the other, in an array, or the features of GeoJSON.
struct JSONSample {
    /// The members of each object.
    private(set) var objects: [[SampleMember]] = []
    /// The objects that could not be read.
    private(set) var faults = SampleFaults()
    /// Whether the file may have more objects.
    private(set) var isCut: Bool
    /// Whether the text is no NDJSON: objects in an array, over several lines or several on a line, or values with types.
    private(set) var isExtended = false
    /// Whether the objects are those of features.
    private(set) var isFeatures: Bool

    private init(isCut: Bool, isFeatures: Bool) {
        self.isCut = isCut
        self.isFeatures = isFeatures
    }

    /// Reads a sample.
    ///
    /// - `isFeatures`: Whether the text is sure to be GeoJSON; otherwise its first object shows it.
    /// - `depthMax`: How deep JSON nests.
    /// - Throws: ``RequestFault`` for UTF-16, for one object with lists of objects, and for a sample without objects.
    static func read(
        _ sample: GuessSample, isFeatures: Bool, depthMax: Int, _ time: GuessTime
    ) throws(RequestFault) -> JSONSample {
        var result = JSONSample(isCut: sample.isCut, isFeatures: isFeatures)
        let text = ByteBuffer(capacity: sample.bytes.count)
        var mark = ByteOrderMark()
        var failure: RequestFault?
        sample.bytes.withUnsafeBytes { bytes in
            do throws(RequestFault) {
                try mark.strip(bytes) { bytes throws(RequestFault) in text.append(bytes) }
                try mark.complete { bytes throws(RequestFault) in text.append(bytes) }
            } catch { failure = error }
        }
        if let failure { throw failure }
        switch isFeatures ? .features : OuterObject(text.bytes) {
        case .features: result.isFeatures = true
        case .lists(let name):
            throw RequestFault(
                .invalid, "no-class",
                "The text is one object with lists of objects, such as '\(RequestFault.shown(name))', as Realm Studio "
                    + "exports classes. Guess from the objects of one list: jq -c '.\(RequestFault.shown(name))[]'. "
                    + realmClasses)
        case .flatted:
            throw RequestFault(
                .invalid, "no-class",
                "The text is an array of all values of a realm, as Realm Studio exports them since version 13. The page "
                    + "'Move' of the console proposes its classes. \(realmClasses) Then import the file by holdfast "
                    + "import --realm-json.")
        case .object: break
        }
        result.take(text.bytes, depthMax: depthMax, time)
        try time.check()
        try result.faults.requireObjects(result.objects.count)
        return result
    }

    private static let realmClasses =
        "The classes of an app come from JSON.stringify(realm.schema): holdfast schema put --from realm-js."

    private mutating func take(
        _ text: UnsafeRawBufferPointer, depthMax: Int, _ time: GuessTime
    ) {
        let parser = JSONParser()
        var lastNumber = 0
        var splitter = ObjectSplitter(
            objectByteCountMax: GuessSample.byteCountMax + 1, seeksFeatures: isFeatures,
            admits: { _ in true })
        isExtended = text.first { $0 > 0x20 } == UInt8(ascii: "[")
        splitter.append(text) {
            if time.isLeft { take($0, $1, &lastNumber, parser, depthMax) }
        }
        if !isCut { splitter.complete { take($0, $1, &lastNumber, parser, depthMax) } }
    }

    /// Takes an object, or a fault.
    ///
    /// - `number`: The line on which it begins; `lastNumber` is that of the object before.
    private mutating func take(
        _ number: Int, _ content: ObjectSplitter.Content, _ lastNumber: inout Int,
        _ parser: JSONParser, _ depthMax: Int
    ) {
        guard objects.count < GuessSample.objectCountMax else {
            isCut = true
            return
        }
        let text: UnsafeRawBufferPointer
        switch content {
        case .object(let object): text = object
        case .fault(let fault): return faults.note("Line \(number): \(fault.detail)")
        }
        isExtended = isExtended || number == lastNumber || text.contains(UInt8(ascii: "\n"))
        lastNumber = number
        let object: JSONValue
        do throws(JSONError) {
            object = try parser.parse(text, depthMax: depthMax)
        } catch {
            return faults.note("Line \(number): it is not a JSON object: \(error.message).")
        }
        if isFeatures {
            do throws(Feature.Malformed) {
                objects.append(try Feature(object).sampleMembers)
            } catch { faults.note("Line \(number): \(error.detail)") }
            return
        }
        let members = SampleMember.all(of: object)
        isExtended = isExtended || members.contains { $0.value.holdsTyped }
        objects.append(members)
    }
}
