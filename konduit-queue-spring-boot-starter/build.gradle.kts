plugins {
    `java-library`
    `maven-publish`
}

description = "One dependency: auto-configuration, properties, Actuator for konduit-queue."

dependencies {
    api(project(":konduit-queue-core"))
    api(libs.spring.boot.starter.jackson)
    api(libs.spring.boot.starter.jdbc)
    compileOnly(libs.jakarta.servlet.api)
    compileOnly(libs.micrometer.core)
    compileOnly(libs.spring.boot.actuator.autoconfigure)
    compileOnly(libs.spring.boot.health)
    compileOnly(libs.spring.boot.webmvc)
    compileOnly(libs.spring.security.web)
    compileOnly(libs.spring.web)
    compileOnly(libs.spring.webmvc)
    annotationProcessor(libs.spring.boot.configuration.processor)

    testImplementation(project(":konduit-queue-test-support"))
    testImplementation(libs.archunit)
    testImplementation(libs.axe.core)
    testImplementation(libs.h2)
    testImplementation(libs.micrometer.registry.prometheus)
    testImplementation(libs.micrometer.tracing.bridge.otel)
    testImplementation(libs.selenium.chrome.driver)
    testImplementation(libs.shedlock.spring)
    testImplementation(libs.spring.boot.micrometer.tracing.opentelemetry)
    testImplementation(libs.spring.boot.starter.actuator)
    testImplementation(libs.spring.boot.starter.data.jdbc)
    testImplementation(libs.spring.boot.starter.data.jpa)
    testImplementation(libs.spring.boot.starter.flyway)
    testImplementation(libs.spring.boot.starter.security)
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.spring.boot.starter.validation)
    testImplementation(libs.spring.boot.starter.webmvc)
    testImplementation(libs.spring.webflux)
    testRuntimeOnly(libs.junit.platform.launcher)
}

tasks.named("compileJava") {
    // The configuration processor merges hand-written metadata from the resources when there is some.
    inputs.files(tasks.named("processResources"))
}
