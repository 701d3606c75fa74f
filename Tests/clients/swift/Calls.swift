// Calls every operation. The function `callAll` is generated from the calls, since a method can't be found by its name.
import Foundation

/// The operations that were called, and the reasons that kept the others from being called.
actor Report {
    private(set) var count = 0

    func note(_ id: String, _ error: (any Error)?) {
        if let error { print("\(id): \(error)") } else { count += 1 }
    }
}

let report = Report()

/// Calls an operation.
func call(_ id: String, _ body: @escaping @Sendable () async throws -> Void) async {
    do {
        try await body()
        await report.note(id, nil)
    } catch {
        await report.note(id, error)
    }
}

/// Opens a stream, which never ends.
func follow(_ id: String, _ body: @escaping @Sendable () async throws -> Void) async {
    let stream = Task { try await body() }
    let end = Task {
        try await Task.sleep(for: .seconds(2))
        stream.cancel()
    }
    let result = await stream.result
    end.cancel()
    guard case .failure(let error) = result, !stream.isCancelled else {
        return await report.note(id, nil)
    }
    await report.note(id, error)
}

/// Reads JSON as a type that a function takes.
func value<Value: Decodable>(_ json: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
}

/// Reads a string as a value of an enum.
func value<Value: RawRepresentable>(_ json: String) throws -> Value where Value.RawValue == String {
    guard let found = Value(rawValue: try value(json)) else { throw CocoaError(.coderInvalidValue) }
    return found
}

/// Reads a string as a value of an enum that can be decoded.
func value<Value: RawRepresentable & Decodable>(_ json: String) throws -> Value
where Value.RawValue == String {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
}

/// Makes a file from a text: the client takes lines of JSON as a file.
func lines(_ json: String) throws -> URL {
    let file = URL(fileURLWithPath: "lines")
    try Data((try value(json) as String).utf8).write(to: file)
    return file
}
