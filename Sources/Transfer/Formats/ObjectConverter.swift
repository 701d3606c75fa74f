import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON

/// A form of JSON objects, which are converted to the objects of an import's lines.
protocol ObjectForm {
    /// Writes the object of a line; returns the fault of an object that stands for no line.
    func write(_ object: JSONValue, to writer: JSONWriter) -> RequestFault.Entry?
}

/// Converts JSON objects to the lines of an import into a class as they are received: one behind the other, in an array,
/// or the features of a FeatureCollection.
///
/// An object becomes a line with the number of the line on which it begins; of several on one line
/// each has a number of its own. Memory: one object. One thread at a time.
final class ObjectConverter<Form: ObjectForm>: LineSource {
    private let form: Form
    private let cutter: LineCutter
    private let options: ImportOptions
    private var splitter: ObjectSplitter
    private let parser = JSONParser()
    private let line = ByteBuffer(capacity: 4096)

    /// Makes a converter.
    ///
    /// - `seeksFeatures`: Whether the objects may be the features of a FeatureCollection.
    init(
        _ form: Form, _ cutter: LineCutter, _ options: ImportOptions, seeksFeatures: Bool = false
    ) {
        self.form = form
        self.cutter = cutter
        self.options = options
        splitter = ObjectSplitter(
            objectByteCountMax: options.limits.importLineByteCountMax,
            seeksFeatures: seeksFeatures, admits: { cutter.admits($0) })
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        splitter.append(bytes) { take($0, $1) }
        cutter.take(line)
    }

    func complete() {
        splitter.complete { take($0, $1) }
        cutter.take(line)
        cutter.complete()
    }

    private func take(_ number: Int, _ content: ObjectSplitter.Content) {
        cutter.take(line)
        // Faults have the number of the line in the text, as long as lines do not hold several objects.
        while cutter.nextNumber < number {
            let count = min(number - cutter.nextNumber, LineCutter.batchByteCount)
            for _ in 0..<count { line.append(UInt8(ascii: "\n")) }
            cutter.take(line)
        }
        switch content {
        case .object(let text): write(text)
        case .fault(let fault): note(fault)
        }
        line.append(UInt8(ascii: "\n"))
    }

    private func note(_ fault: RequestFault.Entry) {
        line.removeAll()
        cutter.note(fault)
    }

    private func write(_ text: UnsafeRawBufferPointer) {
        do throws(JSONError) {
            let object = try parser.parse(text, depthMax: options.limits.jsonDepthMax)
            if let fault = form.write(object, to: JSONWriter(line)) { note(fault) }
        } catch { note(RequestFault.Entry(line: error, in: text)) }
    }
}

extension RequestFault.Entry {
    /// The fault of a line of an import that is no JSON.
    init(line error: JSONError, in text: UnsafeRawBufferPointer) {
        var detail = "The line is not a JSON object: \(error.message)."
        if error.code == .invalidUTF8 {
            detail += " Convert the text first, such as by iconv -f WINDOWS-1252 -t UTF-8."
        }
        self.init(
            code: error.code == .tooDeep ? "too-deep" : "malformed-json", detail: detail,
            column: error.position(in: text).column)
    }
}
